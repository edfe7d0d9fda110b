package ratelimit

import "net/netip"

// Source returns what the requests from an address are counted for: an IPv4 address itself, and for an IPv6 address its
// /64 network, since one client has all addresses of it. A text that is not an address is returned as it is.
func Source(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}
