package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
)

// sameSite returns the check that a request does not come from a page of another site. The check lets GET, HEAD and
// OPTIONS pass. Pages at publicURL pass it, also behind a proxy that changes the Host header; if publicURL has no host,
// only pages at the Host of the request pass. The error is about a public URL that cannot be parsed.
func sameSite(publicURL string) (*http.CrossOriginProtection, error) {
	check := http.NewCrossOriginProtection()
	own, err := url.Parse(publicURL)
	if err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	if own.Host == "" {
		return check, nil
	}
	if err := check.AddTrustedOrigin(own.Scheme + "://" + own.Host); err != nil {
		return nil, fmt.Errorf("public URL: %w", err)
	}
	return check, nil
}
