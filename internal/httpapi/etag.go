package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"dealflow/internal/company"
	"dealflow/internal/email"
	"dealflow/internal/fault"
	forms "dealflow/internal/form"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/meeting"
	"dealflow/internal/postgres"
	"dealflow/internal/share"
)

// An ETag has two halves: the version of the thing, by which If-Match finds out whether it was changed, and the
// digest of the whole body, by which If-None-Match finds out whether another would be answered. Signed URLs and the
// caller's authType are in the second alone.

// digestSize is how many characters a half has.
const digestSize = 16

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.EncodeToString(sum[:digestSize*3/4])
}

// versioned is a thing of which not all that is shown makes its version.
type versioned interface{ version() any }

// version leaves out the signed URLs, which differ with the time.
func (w wireWholeEmail) version() any {
	w.Attachments = append([]wireEmailAttachment{}, w.Attachments...)
	for i := range w.Attachments {
		w.Attachments[i].DownloadURL = ""
	}
	return w
}

// version leaves out what visitors change.
func (w wireLink) version() any {
	w.ViewCount, w.IsActive = 0, false
	return w
}

// versionOf returns the version of a thing, and how it is shown.
func versionOf(thing any) (version string, shown []byte, err error) {
	if shown, err = wire.Encode(thing); err != nil {
		return "", nil, err
	}
	counted := shown
	if v, is := thing.(versioned); is {
		if counted, err = wire.Encode(v.version()); err != nil {
			return "", nil, err
		}
	}
	return digest(counted), shown, nil
}

// beside is what is answered next to a thing.
type beside struct {
	name  string
	value any
}

// okThing answers 200 with a thing under a name, and with its ETag; 304 without a body where the client has just that.
func (a *API) okThing(c *gin.Context, member string, thing any, more ...beside) error {
	version, shown, err := versionOf(thing)
	if err != nil {
		return err
	}
	out := bytes.NewBufferString(`{"success":true,"data":{"` + member + `":`)
	_, _ = out.Write(shown)
	for _, one := range more {
		encoded, err := wire.Encode(one.value)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, `,"%s":%s`, one.name, encoded)
	}
	_ = out.WriteByte('}')
	if authType := a.envelope(c, nil).AuthType; authType != "" {
		_, _ = out.WriteString(`,"authType":"` + authType + `"`)
	}
	_, _ = out.WriteString("}\n")
	return a.tagged(c, version, out.Bytes())
}

// okTagged answers 200 with data that nobody changes by itself, and with its ETag; 304 as okThing.
func (a *API) okTagged(c *gin.Context, data any) error {
	body, err := wire.Encode(a.envelope(c, data))
	if err != nil {
		return err
	}
	return a.tagged(c, digest(body), append(body, '\n'))
}

func (a *API) tagged(c *gin.Context, version string, body []byte) error {
	tag := `"` + version + digest(body) + `"`
	reads := c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
	if reads || a.endpointOf(c).tagged {
		c.Header("ETag", tag)
	}
	if reads && matches(c.Request.Header.Values("If-None-Match"), func(given string) bool {
		return strings.TrimPrefix(given, "W/") == tag
	}) {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()
		return nil
	}
	c.Header("Content-Type", jsonMediaType) // gin would keep one that a handler set before it failed
	c.Data(http.StatusOK, jsonMediaType, body)
	return nil
}

// matches reports whether one of the tags of a header is the one that is looked for; * is any.
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

// ifMatch returns the handler of a change that is carried out only where If-Match has the version of what is changed.
// The domain asks inside the transaction of the change. Of a thing that has no ETag only * is right.
func (a *API) ifMatch(e endpoint) handler {
	return func(c *gin.Context) error {
		given := c.Request.Header.Values("If-Match")
		if len(given) == 0 {
			return e.handle(c)
		}
		if !e.tagged && !matches(given, func(string) bool { return false }) {
			return stale()
		}
		c.Request = c.Request.WithContext(postgres.Requiring(c.Request.Context(), func(current any) error {
			version, err := a.versionNow(current)
			if err == nil && !matches(given, func(tag string) bool { return strings.HasPrefix(tag, `"`+version) }) {
				return stale()
			}
			return err
		}))
		return e.handle(c)
	}
}

func stale() error { return fault.New(fault.Changed, "precondition_failed") }

// versionNow returns the version of a thing of the domain, as the ETag of its GET has it.
func (a *API) versionNow(current any) (version string, err error) {
	var shown any
	switch thing := current.(type) {
	case company.View:
		shown = showCompany(thing)
	case meeting.Minutes:
		shown = showMinutes(thing)
	case forms.Submission:
		shown = showSubmission(thing)
	case email.View:
		shown = a.showWholeEmail(thing)
	case share.Listed:
		shown = a.showLink(thing)
	default:
		return "", fmt.Errorf("%T has no version", current)
	}
	version, _, err = versionOf(shown)
	return version, err
}
