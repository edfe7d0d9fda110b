// Package clean undoes what transport did to a text: quoted-printable, HTML, entities, and links that were broken over
// lines.
package clean
