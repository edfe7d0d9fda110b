package webhook

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// errPrivate is the error for an address that is not on the public internet.
var errPrivate = errors.New("the address is private, local or reserved; WEBHOOK_ALLOW_PRIVATE permits it")

// reserved returns the address ranges that are not public although the methods of netip.Addr do not exclude them, and
// ranges that embed IPv4 addresses, which may be private.
func reserved() []netip.Prefix {
	var ranges []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "fec0::/10", "::/96", "::ffff:0:0:0/96", "3fff::/20", "5f00::/16",
	} {
		ranges = append(ranges, netip.MustParsePrefix(text))
	}
	return ranges
}

// isPublic reports whether an address is on the public internet.
func isPublic(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, some := range reserved() {
		if some.Contains(address) {
			return false
		}
	}
	return true
}

// isPublicHost reports whether a host may be on the public internet. It accepts public addresses, and names with a dot
// whose last label is not "localhost", "local", "internal" or a number. It does not resolve names: their addresses are
// checked when the client connects.
func isPublicHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(host); err == nil {
		return isPublic(address)
	}
	top := host[strings.LastIndex(host, ".")+1:]
	if _, err := strconv.ParseUint(top, 0, 64); err == nil { // an address as some resolvers take it, such as 0x7f.1
		return false
	}
	return top != host && !slices.Contains([]string{"localhost", "local", "internal"}, top)
}
