package config

import (
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// HTTP is where the API listens and what its public address is.
type HTTP struct {
	Addr           string   `env:"HTTP_ADDR"       envDefault:"127.0.0.1:8080"`
	PublicURL      string   `env:"PUBLIC_URL"` // default LocalURL; signed and short URLs begin with it
	TrustedProxies []string `env:"TRUSTED_PROXIES"`

	MaxConnections int `env:"MAX_CONNECTIONS"             envDefault:"4096"` // 0: no limit
	// 0: no limit; trusted proxies have none
	MaxPerAddress int           `env:"MAX_CONNECTIONS_PER_ADDRESS" envDefault:"1024"`
	BodyGrace     time.Duration `env:"BODY_GRACE"                  envDefault:"10s"`  // before MinBodyRate holds
	MinBodyRate   int64         `env:"MIN_BODY_RATE"               envDefault:"1024"` // bytes in a second
	// between the first 503 of /readyz and the end of listening
	DrainDelay time.Duration `env:"DRAIN_DELAY"                 envDefault:"5s"`
}

// LocalURL returns how this machine reaches the API. Addr may name no host, or all addresses.
func (h *HTTP) LocalURL() string {
	host, port, err := net.SplitHostPort(h.Addr)
	if err != nil {
		return "http://" + h.Addr
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Validate also fills PublicURL where it is not set.
func (h *HTTP) Validate() []error {
	mistakes := address("HTTP_ADDR", h.Addr)
	if h.PublicURL == "" {
		h.PublicURL = h.LocalURL()
	}
	h.PublicURL = strings.TrimRight(h.PublicURL, "/")
	if u, err := url.Parse(h.PublicURL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		mistakes = append(mistakes, fmt.Errorf("PUBLIC_URL: %q is no http(s) URL", h.PublicURL))
	}
	for _, proxy := range h.TrustedProxies {
		_, errPrefix := netip.ParsePrefix(proxy)
		_, errAddr := netip.ParseAddr(proxy)
		if errPrefix != nil && errAddr != nil {
			mistakes = append(mistakes,
				fmt.Errorf("TRUSTED_PROXIES: %q is neither an IP address nor a range such as 10.0.0.0/8", proxy))
		}
	}
	return append(mistakes, h.validateLimits()...)
}

func (h *HTTP) validateLimits() []error {
	var mistakes []error
	if h.MaxConnections < 0 || h.MaxPerAddress < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("MAX_CONNECTIONS and MAX_CONNECTIONS_PER_ADDRESS may not be negative (0 turns one off)"))
	}
	if h.BodyGrace < time.Second || h.MinBodyRate < 1 {
		mistakes = append(mistakes,
			fmt.Errorf("BODY_GRACE must be at least 1s and MIN_BODY_RATE at least 1 byte in a second"))
	}
	if h.DrainDelay < 0 || h.DrainDelay > 5*time.Minute {
		mistakes = append(mistakes, fmt.Errorf("DRAIN_DELAY: %s is out of range, give 0s to 5m", h.DrainDelay))
	}
	return mistakes
}

// Proxies returns the trusted proxies as ranges.
func (h *HTTP) Proxies() []netip.Prefix {
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

// WorkerHTTP is where a worker serves its health and metrics.
type WorkerHTTP struct {
	Addr string `env:"WORKER_HTTP_ADDR" envDefault:"127.0.0.1:8081"`
}

// Validate returns what is wrong.
func (h *WorkerHTTP) Validate() []error { return address("WORKER_HTTP_ADDR", h.Addr) }

func address(name, value string) []error {
	if _, _, err := net.SplitHostPort(value); err != nil {
		return []error{fmt.Errorf("%s: %q is no host:port", name, value)}
	}
	return nil
}

// Database is the Postgres that holds everything.
type Database struct {
	URL            string `env:"DATABASE_URL"`
	MaxConnections int    `env:"DATABASE_MAX_CONNECTIONS" envDefault:"20"`
}

// Validate returns what is wrong.
func (d *Database) Validate() []error {
	mistakes := scheme("DATABASE_URL", d.URL, "postgres", "postgresql")
	if d.MaxConnections < 2 {
		mistakes = append(mistakes, fmt.Errorf("DATABASE_MAX_CONNECTIONS: %d is too few, give at least 2", d.MaxConnections))
	}
	return mistakes
}

// Redis is the queue, the rate limits and the nudges. Nothing in it needs to last.
type Redis struct {
	URL      string `env:"REDIS_URL"`
	Password string `env:"REDIS_PASSWORD"` // where the URL has none; any characters
}

// Address returns the URL with the password.
func (r *Redis) Address() string {
	head, rest, found := strings.Cut(r.URL, "://")
	hosts, _, _ := strings.Cut(rest, "/")
	if !found || r.Password == "" || strings.Contains(hosts, "@") {
		return r.URL
	}
	return head + "://" + url.UserPassword("", r.Password).String() + "@" + rest
}

// Validate returns what is wrong.
func (r *Redis) Validate() []error {
	return scheme("REDIS_URL", r.URL, "redis", "rediss", "unix", "redis-sentinel", "redis-cluster")
}

// Storage is where files lie. All processes share it.
type Storage struct {
	URL         string `env:"STORAGE_URL"`
	MaxFileSize int64  `env:"MAX_FILE_SIZE" envDefault:"52428800"` // bytes
}

// Validate returns what is wrong.
func (s *Storage) Validate() []error {
	mistakes := scheme("STORAGE_URL", s.URL, "file", "s3")
	if s.MaxFileSize < 1 {
		mistakes = append(mistakes, fmt.Errorf("MAX_FILE_SIZE: %d is no size in bytes", s.MaxFileSize))
	}
	return mistakes
}

func scheme(name, value string, allowed ...string) []error {
	if value == "" {
		return []error{fmt.Errorf("%s is not set: give a URL that begins with %s://", name, strings.Join(allowed, ":// or "))}
	}
	head, _, found := strings.Cut(value, "://")
	if !found || !slices.Contains(allowed, head) {
		return []error{fmt.Errorf("%s must begin with %s://", name, strings.Join(allowed, ":// or "))}
	}
	return nil
}

// Secrets sign URLs. The first key signs, all verify.
type Secrets struct {
	Keys []string `env:"SECRET_KEYS"`
}

const minimumKeyLength = 32

// Validate returns what is wrong.
func (s *Secrets) Validate() []error {
	if len(s.Keys) == 0 {
		return []error{
			fmt.Errorf("SECRET_KEYS is not set: give one or more keys of at least %d bytes, separated by commas",
				minimumKeyLength),
		}
	}
	var mistakes []error
	for i, key := range s.Keys {
		if len(key) < minimumKeyLength {
			mistakes = append(mistakes,
				fmt.Errorf("SECRET_KEYS: key %d has %d bytes, it needs at least %d", i+1, len(key), minimumKeyLength))
		}
	}
	return mistakes
}

// Bytes returns the keys as the signer takes them.
func (s *Secrets) Bytes() [][]byte {
	keys := make([][]byte, len(s.Keys))
	for i, key := range s.Keys {
		keys[i] = []byte(key)
	}
	return keys
}

// Operator may see /admin and /metrics. Without both values these are off.
type Operator struct {
	User     string `env:"OPERATOR_USER"`
	Password string `env:"OPERATOR_PASSWORD"`
}

// Enabled reports whether the operators' pages are on.
func (o *Operator) Enabled() bool { return o.User != "" }

// Validate returns what is wrong.
func (o *Operator) Validate() []error {
	if (o.User == "") != (o.Password == "") {
		return []error{fmt.Errorf("OPERATOR_USER and OPERATOR_PASSWORD go together: set both or neither")}
	}
	return nil
}

// Limits are what one client may ask for.
type Limits struct {
	PerSecond   int   `env:"RATE_LIMIT_PER_SECOND" envDefault:"100"`     // 0: off
	PerMinute   int   `env:"RATE_LIMIT_PER_MINUTE" envDefault:"1000"`    // 0: off
	MaxJSONSize int64 `env:"MAX_JSON_SIZE"         envDefault:"1048576"` // bytes
	// stored at once; 0: three of four database connections
	Uploads    int   `env:"UPLOAD_CONCURRENCY"`
	MaxRowSize int64 `env:"MAX_ROW_SIZE"          envDefault:"41943040"` // bytes of one row of an import
}

// Validate returns what is wrong.
func (l *Limits) Validate() []error {
	var mistakes []error
	if l.PerSecond < 0 || l.PerMinute < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("RATE_LIMIT_PER_SECOND and RATE_LIMIT_PER_MINUTE may not be negative (0 turns one off)"))
	}
	if l.Uploads < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("UPLOAD_CONCURRENCY may not be negative (0: three of four of DATABASE_MAX_CONNECTIONS)"))
	}
	if l.MaxJSONSize < 1 {
		mistakes = append(mistakes, fmt.Errorf("MAX_JSON_SIZE: %d is no size in bytes", l.MaxJSONSize))
	}
	if l.MaxRowSize < 1<<10 || l.MaxRowSize > 1<<30 {
		mistakes = append(mistakes,
			fmt.Errorf("MAX_ROW_SIZE: %d is no size of a row in bytes, give 1024 to 1073741824", l.MaxRowSize))
	}
	return mistakes
}

// Signup is who may make a user and an account for themselves.
type Signup struct {
	Mode string `env:"SIGNUP" envDefault:"closed"` // open: anybody
}

// Open reports whether anybody may.
func (s *Signup) Open() bool { return s.Mode == "open" }

// Validate returns what is wrong.
func (s *Signup) Validate() []error {
	if s.Mode != "open" && s.Mode != "closed" {
		return []error{fmt.Errorf("SIGNUP: %q is neither open nor closed", s.Mode)}
	}
	return nil
}

// Analysis is how a deal is read and how long a caller waits for it.
type Analysis struct {
	Wait            time.Duration `env:"ANALYSIS_WAIT"     envDefault:"30s"`
	DeckClassesFile string        `env:"DECK_CLASSES_FILE"` // replaces the table of deck platforms
}

// Validate returns what is wrong.
func (a *Analysis) Validate() []error {
	var mistakes []error
	if a.Wait < 0 {
		mistakes = append(mistakes, fmt.Errorf("ANALYSIS_WAIT: %s is negative", a.Wait))
	}
	if a.DeckClassesFile != "" {
		if _, err := os.Stat(a.DeckClassesFile); err != nil {
			mistakes = append(mistakes, fmt.Errorf("DECK_CLASSES_FILE: %w", err))
		}
	}
	return mistakes
}

// Queue is how a worker takes work.
type Queue struct {
	Concurrency int `env:"WORKER_CONCURRENCY"      envDefault:"4"` // interactive tasks at once
	Bulk        int `env:"WORKER_BULK_CONCURRENCY" envDefault:"2"` // bulk tasks at once
	// a row without a sign of life for this long has lost its worker
	Lease time.Duration `env:"WORKER_LEASE"            envDefault:"10s"`
}

// Validate returns what is wrong.
func (q *Queue) Validate() []error {
	var mistakes []error
	if q.Concurrency < 1 {
		mistakes = append(mistakes, fmt.Errorf("WORKER_CONCURRENCY must be at least 1"))
	}
	if q.Bulk < 1 {
		mistakes = append(mistakes, fmt.Errorf("WORKER_BULK_CONCURRENCY must be at least 1"))
	}
	if q.Lease < time.Second {
		mistakes = append(mistakes, fmt.Errorf("WORKER_LEASE: %s is too short, give at least 1s", q.Lease))
	}
	return mistakes
}

// Reader is how PDFs are read, in children of the worker, and how their pages are drawn, in one of the API.
type Reader struct {
	Children int           `env:"PDF_CHILDREN"  envDefault:"2"`
	Timeout  time.Duration `env:"PDF_TIMEOUT"   envDefault:"10s"` // of the processor, for a document
	CacheDir string        `env:"PDF_CACHE_DIR"`                  // compiled WebAssembly; default: the user's cache folder
}

// Validate returns what is wrong.
func (r *Reader) Validate() []error {
	var mistakes []error
	if r.Children < 1 {
		mistakes = append(mistakes, fmt.Errorf("PDF_CHILDREN must be at least 1"))
	}
	if r.Timeout < time.Second {
		mistakes = append(mistakes, fmt.Errorf("PDF_TIMEOUT: %s is too short, give at least 1s", r.Timeout))
	}
	return mistakes
}

// Cache is the folder that compiled WebAssembly is kept in; "" where the user has none: then it is compiled at each
// start, rather than taken from a folder that others may write to.
func (r *Reader) Cache() string {
	if r.CacheDir != "" {
		return r.CacheDir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "dealflow")
}

// Model is an OpenAI-compatible server. Without a key the built-in rules analyse.
type Model struct {
	Key       string        `env:"OPENAI_API_KEY"`
	BaseURL   string        `env:"OPENAI_BASE_URL"          envDefault:"https://api.openai.com/v1"`
	Name      string        `env:"OPENAI_MODEL"             envDefault:"gpt-4o-mini"`
	Timeout   time.Duration `env:"OPENAI_TIMEOUT"           envDefault:"20s"`   // all attempts of one analysis
	MaxInput  int           `env:"OPENAI_MAX_INPUT_TOKENS"  envDefault:"12000"` // of text and pages, by estimate
	MaxOutput int           `env:"OPENAI_MAX_OUTPUT_TOKENS" envDefault:"2000"`
	Prices    []string      `env:"OPENAI_PRICES"`                              // MODEL=IN/OUT, USD for a million tokens
	CacheAge  time.Duration `env:"OPENAI_CACHE_AGE"         envDefault:"168h"` // 0: answers are not remembered
	CacheSize int           `env:"OPENAI_CACHE_SIZE"        envDefault:"1000"` // answers of one account
}

// Validate returns what is wrong.
func (m *Model) Validate() []error {
	if m.Key == "" {
		return nil
	}
	mistakes := scheme("OPENAI_BASE_URL", m.BaseURL, "http", "https")
	if m.Timeout < time.Second {
		mistakes = append(mistakes, fmt.Errorf("OPENAI_TIMEOUT: %s is too short, give at least 1s", m.Timeout))
	}
	if m.MaxInput < 500 || m.MaxOutput < 200 {
		mistakes = append(mistakes,
			fmt.Errorf("OPENAI_MAX_INPUT_TOKENS and OPENAI_MAX_OUTPUT_TOKENS must be at least 500 and 200"))
	}
	if m.CacheAge < 0 || m.CacheSize < 0 {
		mistakes = append(mistakes,
			fmt.Errorf("OPENAI_CACHE_AGE and OPENAI_CACHE_SIZE may not be negative (0 turns the cache off)"))
	}
	for _, line := range m.Prices {
		if _, err := readPrice(line); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return mistakes
}

// Remembers reports whether the model's answers are kept.
func (m *Model) Remembers() bool { return m.Key != "" && m.CacheAge > 0 && m.CacheSize > 0 }

// Price returns what a million tokens to and from the model cost in USD; known is false where the table lacks the
// model.
func (m *Model) Price() (price Price, known bool) {
	for _, line := range m.Prices {
		if p, err := readPrice(line); err == nil && p.model == m.Name {
			return p, true
		}
	}
	return Price{}, false
}

// Price is what a million tokens cost in USD.
type Price struct {
	Input, Output float64

	model string
}

func readPrice(line string) (Price, error) {
	model, figures, _ := strings.Cut(strings.TrimSpace(line), "=")
	in, out, _ := strings.Cut(figures, "/")
	input, errIn := strconv.ParseFloat(in, 64)
	output, errOut := strconv.ParseFloat(out, 64)
	if model == "" || errIn != nil || errOut != nil || !(input >= 0 && output >= 0) || math.IsInf(input+output, 0) {
		return Price{}, fmt.Errorf("OPENAI_PRICES: %q is not of the form MODEL=IN/OUT, such as gpt-4o-mini=0.15/0.60", line)
	}
	return Price{Input: input, Output: output, model: model}, nil
}

// Log is what goes to stderr.
type Log struct {
	Level  slog.Level `env:"LOG_LEVEL" envDefault:"INFO"`
	Format string     `env:"LOG_FORMAT" envDefault:"auto"` // json, text, or auto: text on a terminal, JSON elsewhere
}

// Validate returns what is wrong with the format; the level was parsed.
func (l *Log) Validate() []error {
	if !slices.Contains([]string{"auto", "json", "text"}, l.Format) {
		return []error{fmt.Errorf("LOG_FORMAT=%s: must be auto, json or text", l.Format)}
	}
	return nil
}
