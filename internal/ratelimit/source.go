package ratelimit

import "net/netip"

// Source returns what the requests of a client's address are counted for: an IPv4 address itself, and of an IPv6
// address its /64, since one client has them all. What is no address is returned as it is.
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
