package ratelimit

import "net/netip"

// Source returns the subject under which requests from an IP address are counted: the address itself for IPv4, and the
// /64 network for IPv6, since one client usually has all addresses of it. It returns a text that is not an IP address
// unchanged.
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
