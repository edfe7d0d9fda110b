// Package clean decodes a text that came by mail or as JSON: quoted-printable, HTML and entities. It joins links that
// were broken over lines.
package clean
