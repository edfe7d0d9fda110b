package respond

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/fault"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// An ETag has two halves: the version of the thing, by which If-Match finds out whether it was changed, and the digest
// of the whole body, by which If-None-Match finds out whether the answer would be another. Only the digest depends on
// signed URLs and the caller's authType.

// digestSize is the number of characters in each half of an ETag.
const digestSize = 16

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:digestSize*3/4])
}

// versioned is a thing whose version is computed from the result of Version instead of the JSON that is shown.
type versioned interface{ Version() any }

// versionOf returns the version and the JSON of a thing in the form in which it is shown. The error is about a thing
// that cannot be encoded.
func versionOf(thing any) (version string, shown []byte, err error) {
	if shown, err = wire.Encode(thing); err != nil {
		return "", nil, err
	}
	counted := shown
	if v, is := thing.(versioned); is {
		if counted, err = wire.Encode(v.Version()); err != nil {
			return "", nil, err
		}
	}
	return digest(counted), shown, nil
}

// Version returns the version of current, which must be an R, for the ETag of the GET that shows it by show. It returns
// an error if current is not an R, or if what show returns cannot be encoded.
func Version[R, W any](current any, show func(R) W) (string, error) {
	thing, is := current.(R)
	if !is {
		return "", fmt.Errorf("%T is not the thing of this route, %T", current, thing)
	}
	version, _, err := versionOf(show(thing))
	return version, err
}

// Beside is another member of data, in addition to a thing.
type Beside struct {
	Name  string
	Value any
}

// Thing answers 200 with a thing in the named member of data, and the members of more beside it. For GET and HEAD, and
// on routes that compare If-Match, the answer has the ETag of the thing. If a GET or HEAD has this ETag in
// If-None-Match, the answer is 304 without a body.
func Thing(c *gin.Context, member string, thing any, more ...Beside) error {
	version, shown, err := versionOf(thing)
	if err != nil {
		return err
	}
	out := bytes.NewBufferString(`{"success":true,"data":{"` + member + `":`)
	_, _ = out.Write(shown)
	for _, one := range more {
		encoded, err := wire.Encode(one.Value)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, `,"%s":%s`, one.Name, encoded)
	}
	_ = out.WriteByte('}')
	if authType := Envelope(c, nil).AuthType; authType != "" {
		_, _ = out.WriteString(`,"authType":"` + authType + `"`)
	}
	_, _ = out.WriteString("}\n")
	return tagged(c, version, out.Bytes())
}

// Tagged answers 200 with data and its ETag, or 304 as Thing does. It is for data that is never changed with If-Match.
func Tagged(c *gin.Context, data any) error {
	body, err := wire.Encode(Envelope(c, data))
	if err != nil {
		return err
	}
	return tagged(c, digest(body), append(body, '\n'))
}

func tagged(c *gin.Context, version string, body []byte) error {
	tag := `"` + version + digest(body) + `"`
	reads := c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
	if reads || route.Of(c).Version != nil {
		c.Header("ETag", tag)
	}
	if reads && matches(c.Request.Header.Values("If-None-Match"), func(given string) bool {
		return strings.TrimPrefix(given, "W/") == tag
	}) {
		Empty(c, http.StatusNotModified)
		return nil
	}
	c.Header("Content-Type", jsonMediaType) // gin would keep one that a handler set before it failed
	c.Data(http.StatusOK, jsonMediaType, body)
	return nil
}

// matches reports whether one of the comma-separated lists in header has "*" or a tag for which found returns true.
func matches(header []string, found func(string) bool) bool {
	for _, value := range header {
		for given := range strings.SplitSeq(value, ",") {
			if given = strings.TrimSpace(given); given == "*" || found(given) {
				return true
			}
		}
	}
	return false
}

// IfMatch returns a handler that carries out a change only if If-Match of the request is "*" or has the version of the
// thing; otherwise the error is Changed. The domain compares the versions in the transaction of the change, by
// postgres.Require. A request without If-Match is not checked. On a route without a Version only "*" matches.
func IfMatch(e route.Endpoint) route.Handler {
	return func(c *gin.Context) error {
		given := c.Request.Header.Values("If-Match")
		if len(given) == 0 {
			return e.Handle(c)
		}
		if e.Version == nil {
			if !matches(given, func(string) bool { return false }) {
				return stale()
			}
			return e.Handle(c)
		}
		c.Request = c.Request.WithContext(postgres.Requiring(c.Request.Context(), func(current any) error {
			version, err := e.Version(current)
			if err == nil && !matches(given, func(tag string) bool { return strings.HasPrefix(tag, `"`+version) }) {
				return stale()
			}
			return err
		}))
		return e.Handle(c)
	}
}

func stale() error { return fault.New(fault.Changed, "precondition_failed") }
