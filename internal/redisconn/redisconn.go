// Package redisconn opens Redis by URL: one server, a master behind sentinels, or a cluster.
package redisconn

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	redisPort    = "6379"
	sentinelPort = "26379"
	// dialTimeout and dialAttempts bound how long a command waits for a server that cannot be reached: all users of
	// Redis can work without it, and go-redis repeats whole commands anyway.
	dialTimeout  = 2 * time.Second
	dialAttempts = 1
	// answerTimeout and retries bound how long a command without a deadline waits for a server that accepts connections
	// but does not answer. A command that blocks in Redis may wait answerTimeout longer than it blocks.
	answerTimeout = 1500 * time.Millisecond
	retries       = 1
)

// Server is the address of Redis, with the login. The zero Server must not be used; Parse returns one.
type Server struct {
	open func() redis.UniversalClient
}

// Parse reads the URL of a server. It connects to nothing. The forms are
//
//	redis://user:password@host:port/db                    rediss:// with TLS
//	unix://user:password@/path/of/redis.sock?db=0         a socket of this machine
//	redis-sentinel://user:password@h1:port,h2/db?master=NAME
//	redis-cluster://user:password@h1:port,h2
//
// with the query parameters of go-redis, such as pool_size; sentinel and cluster accept tls=true, and sentinel accepts
// sentinel_username and sentinel_password. The error says what to write, and never shows the password.
func Parse(rawURL string) (Server, error) {
	u, hosts, err := split(rawURL)
	if err != nil {
		return Server{}, fmt.Errorf("redis URL: %w", err)
	}
	var server Server
	switch u.Scheme {
	case "redis", "rediss":
		server, err = parseHost(u, hosts)
	case "unix":
		server, err = parseSocket(u)
	case "redis-sentinel":
		server, err = parseSentinel(u, hosts)
	case "redis-cluster":
		server, err = parseCluster(u, hosts)
	default:
		err = fmt.Errorf("the scheme %q is unknown: use redis, rediss, unix, redis-sentinel or redis-cluster", u.Scheme)
	}
	if err != nil {
		return Server{}, fmt.Errorf("redis URL: %w", err)
	}
	return server, nil
}

// Client returns a new client with a pool of connections, which connects when it is first used. The caller must close
// the client. Its commands end when their context does. The method is safe for concurrent use, and so is the client.
func (s Server) Client() redis.UniversalClient { return s.open() }

// split parses a URL that may have several hosts. It returns all hosts, and the URL with the first host alone, since
// net/url reads no more than one. The error does not contain the password.
func split(rawURL string) (*url.URL, []string, error) {
	scheme, rest, found := strings.Cut(rawURL, "://")
	if !found {
		return nil, nil, errors.New("it has no scheme: write it as redis://host:6379/0")
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	at := strings.LastIndex(authority, "@") + 1
	hosts := strings.Split(authority[at:], ",")
	u, err := url.Parse(scheme + "://" + authority[:at] + hosts[0] + tail)
	if err != nil { // its text would show the password
		return nil, nil, errors.New("it cannot be read: percent-encode the special characters of the password")
	}
	return u, hosts, nil
}

func parseHost(u *url.URL, hosts []string) (Server, error) {
	if len(hosts) > 1 {
		return Server{}, errors.New("it names several hosts: use redis-sentinel:// or redis-cluster:// for them")
	}
	if _, err := addresses(hosts, redisPort); err != nil {
		return Server{}, err
	}
	return parseSingle(u)
}

func parseSocket(u *url.URL) (Server, error) {
	if u.Host != "" || strings.Trim(u.Path, "/") == "" {
		return Server{}, errors.New("it names no socket: write its whole path after the login, as in unix:///run/redis.sock")
	}
	return parseSingle(u)
}

func parseSingle(u *url.URL) (Server, error) {
	options, err := redis.ParseURL(u.String())
	if err != nil {
		return Server{}, err
	}
	options.ContextTimeoutEnabled = true
	options.DialTimeout = cmp.Or(options.DialTimeout, dialTimeout)
	options.ReadTimeout = cmp.Or(options.ReadTimeout, answerTimeout)
	options.WriteTimeout = cmp.Or(options.WriteTimeout, answerTimeout)
	options.MaxRetries = cmp.Or(options.MaxRetries, retries)
	options.DialerRetries = cmp.Or(options.DialerRetries, dialAttempts)
	options.MaintNotificationsConfig = quiet()
	return Server{open: func() redis.UniversalClient {
		own := *options
		return redis.NewClient(&own)
	}}, nil
}

func parseSentinel(u *url.URL, hosts []string) (Server, error) {
	query := u.Query()
	master := query.Get("master")
	if master == "" {
		return Server{}, errors.New("it names no master: add ?master=NAME")
	}
	query.Del("master")
	query.Set("master_name", master)
	// go-redis takes the login of the URL for that of the sentinels. In our URLs it is that of the server, as in the
	// other forms.
	password, _ := u.User.Password()
	query.Set("username", u.User.Username())
	query.Set("password", password)
	u.User = url.UserPassword(query.Get("sentinel_username"), query.Get("sentinel_password"))
	query.Del("sentinel_username")
	query.Del("sentinel_password")
	if err := rewrite(u, hosts, query, sentinelPort); err != nil {
		return Server{}, err
	}
	options, err := redis.ParseFailoverURL(u.String())
	if err != nil {
		return Server{}, err
	}
	if options.RouteByLatency || options.RouteRandomly || options.ReplicaOnly {
		return Server{}, errors.New("it routes commands to replicas, which lag behind: remove route_… and replica_only")
	}
	if options.TLSConfig != nil {
		options.TLSConfig.ServerName = "" // each host proves its own name
	}
	options.ContextTimeoutEnabled = true
	options.DialTimeout = cmp.Or(options.DialTimeout, dialTimeout)
	options.ReadTimeout = cmp.Or(options.ReadTimeout, answerTimeout)
	options.WriteTimeout = cmp.Or(options.WriteTimeout, answerTimeout)
	options.MaxRetries = cmp.Or(options.MaxRetries, retries)
	options.DialerRetries = cmp.Or(options.DialerRetries, dialAttempts)
	return Server{open: func() redis.UniversalClient {
		own := *options
		return redis.NewFailoverClient(&own)
	}}, nil
}

func parseCluster(u *url.URL, hosts []string) (Server, error) {
	if strings.Trim(u.Path, "/") != "" {
		return Server{}, errors.New("it names a database, which a cluster does not have: remove the path")
	}
	if err := rewrite(u, hosts, u.Query(), redisPort); err != nil {
		return Server{}, err
	}
	options, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return Server{}, err
	}
	if options.TLSConfig != nil {
		options.TLSConfig.ServerName = "" // each host proves its own name
	}
	options.ContextTimeoutEnabled = true
	options.DialTimeout = cmp.Or(options.DialTimeout, dialTimeout)
	options.ReadTimeout = cmp.Or(options.ReadTimeout, answerTimeout)
	options.WriteTimeout = cmp.Or(options.WriteTimeout, answerTimeout)
	options.MaxRetries = cmp.Or(options.MaxRetries, retries)
	options.DialerRetries = cmp.Or(options.DialerRetries, dialAttempts)
	options.MaintNotificationsConfig = quiet()
	return Server{open: func() redis.UniversalClient {
		own := *options
		return redis.NewClusterClient(&own)
	}}, nil
}

// rewrite changes u from our form of a URL with several hosts to the form that go-redis reads; it changes query, too.
// port is the port of hosts that name none. The error says what is wrong with the hosts or with tls.
func rewrite(u *url.URL, hosts []string, query url.Values, port string) error {
	addrs, err := addresses(hosts, port)
	if err != nil {
		return err
	}
	switch query.Get("tls") {
	case "true":
		u.Scheme = "rediss"
	case "", "false":
		u.Scheme = "redis"
	default:
		return errors.New("tls is neither true nor false")
	}
	query.Del("tls")
	query.Del("addr")
	for _, addr := range addrs[1:] {
		query.Add("addr", addr)
	}
	u.Host, u.RawQuery = addrs[0], query.Encode()
	return nil
}

// addresses returns each host as host:port, with the given port for hosts that name none. It returns an error if a host
// is empty or has other parts of a URL.
func addresses(hosts []string, port string) ([]string, error) {
	addrs := make([]string, len(hosts))
	for i, host := range hosts {
		u, err := url.Parse("redis://" + host)
		if err != nil || u.Host != host || u.Hostname() == "" {
			return nil, fmt.Errorf("host %d is missing or cannot be read: write host or host:port", i+1)
		}
		addrs[i] = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
	}
	return addrs, nil
}

// quiet returns the setting that turns off maintenance notifications. Each new connection would request them, though
// only a hosted Redis sends them.
func quiet() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
