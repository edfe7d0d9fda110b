package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// apiHTTP has the settings of the API's HTTP server: its address, the proxies that it trusts, and how it stops.
type apiHTTP struct {
	Addr           string   `env:"HTTP_ADDR"       envDefault:"127.0.0.1:8080"`
	PublicURL      string   `env:"PUBLIC_URL"` // default LocalURL; signed and short URLs begin with it
	TrustedProxies []string `env:"TRUSTED_PROXIES"`
	// between the first 503 of /readyz and the end of listening
	DrainDelay time.Duration `env:"DRAIN_DELAY"                 envDefault:"5s"`
}

// LocalURL returns the URL by which processes on this machine reach the API, without a slash at its end. If Addr names
// no host, or all addresses, the URL has 127.0.0.1. Addr must be valid.
func (h *apiHTTP) LocalURL() string {
	host, port, err := net.SplitHostPort(h.Addr)
	if err != nil {
		return "http://" + h.Addr
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Validate returns an error for each setting that is wrong; nil if none is. It sets an empty PublicURL to LocalURL, and
// rewrites PublicURL as publicURL does.
func (h *apiHTTP) Validate() []error {
	mistakes := address("HTTP_ADDR", h.Addr)
	if h.PublicURL == "" {
		h.PublicURL = h.LocalURL()
	}
	if public, isPublic := publicURL(h.PublicURL); isPublic {
		h.PublicURL = public
	} else {
		mistakes = append(mistakes, errors.New("PUBLIC_URL must begin with http:// or https://, and have a host and at most "+
			"a path: no password, query or fragment"))
	}
	for _, proxy := range h.TrustedProxies {
		_, errPrefix := netip.ParsePrefix(proxy)
		_, errAddr := netip.ParseAddr(proxy)
		if errPrefix != nil && errAddr != nil {
			mistakes = append(mistakes,
				fmt.Errorf("TRUSTED_PROXIES: %q is neither an IP address nor a range such as 10.0.0.0/8", proxy))
		}
	}
	if h.DrainDelay < 0 || h.DrainDelay > 5*time.Minute {
		mistakes = append(mistakes, fmt.Errorf("DRAIN_DELAY: %s is out of range, give 0s to 5m", h.DrainDelay))
	}
	return mistakes
}

// Doubts returns a sentence for each setting that is valid but probably not meant so; nil if none is. It expects the
// PublicURL as Validate leaves it.
func (h *apiHTTP) Doubts() []string {
	if public, err := url.Parse(h.PublicURL); err != nil || public.Path == "" {
		return nil
	}
	return []string{
		"PUBLIC_URL has a path: the API, downloads and shared links work below it, the console and the links in mails do " +
			"not; give the service a host of its own",
	}
}

// publicURL reports whether paths may be appended to text to make URLs: whether it is an http or https URL without
// user, password, query and fragment. It returns text without slashes at its end, and with the host as in the Origin of
// browsers: in small letters and ASCII, without the standard port. It returns "" with false.
func publicURL(text string) (string, bool) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.ForceQuery ||
		u.RawQuery != "" || strings.Contains(text, "#") {
		return "", false
	}
	u.Host = strings.ToLower(u.Host)
	if ascii, err := idna.Lookup.ToASCII(u.Hostname()); err == nil {
		u.Host = strings.TrimSuffix(ascii+":"+u.Port(), ":")
	}
	standard := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	u.Host = strings.TrimSuffix(u.Host, standard)
	return u.String(), true
}

// Proxies returns the trusted proxies as ranges; an address becomes a range of that address alone. It leaves out what
// Validate refuses.
func (h *apiHTTP) Proxies() []netip.Prefix {
	var ranges []netip.Prefix
	for _, proxy := range h.TrustedProxies {
		if one, err := netip.ParseAddr(proxy); err == nil {
			ranges = append(ranges, netip.PrefixFrom(one, one.BitLen()))
		} else if many, err := netip.ParsePrefix(proxy); err == nil {
			ranges = append(ranges, many)
		}
	}
	return ranges
}

// workerHTTP has the address at which a worker serves its health and metrics.
type workerHTTP struct {
	Addr string `env:"WORKER_HTTP_ADDR" envDefault:"127.0.0.1:8081"`
}

// Validate returns an error for each setting that is wrong; nil if none is.
func (h *workerHTTP) Validate() []error { return address("WORKER_HTTP_ADDR", h.Addr) }

func address(name, value string) []error {
	if _, _, err := net.SplitHostPort(value); err != nil {
		return []error{fmt.Errorf("%s: %q is no host:port", name, value)}
	}
	return nil
}
