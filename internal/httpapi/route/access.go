package route

// Access says who may use a route. The gate counts and refuses requests by it. The domain and row-level security check
// whether a caller belongs to the account, or sees the company.
type Access int

// The groups of callers who may use a route, and by what their requests are counted and limited.
const (
	Probe     Access = iota // everybody, not limited: health checks must always be answered
	Open                    // everybody, limited by address
	Hook                    // whoever knows the token in the path, limited by it
	Entrance                // everybody, limited by address, but no page of another site
	Visitors                // everybody, as the user of their session if any; limited by it or by address
	Monitor                 // the operator, by their credentials, not limited
	Operators               // the operator, by their credentials; limited by address
	Users                   // whoever has a key or a session; limited by it, as are those below
	Members                 // members of the account in the path
	Admins                  // admins and owners of the account in the path
	Viewers                 // members who see the company in the path
)

// String returns the name that the constant has here, in lower case.
func (a Access) String() string {
	return []string{
		"probe", "open", "hook", "entrance", "visitors", "monitor", "operators", "users", "members", "admins", "viewers",
	}[a]
}

// ByKey reports whether a key or a session is required.
func (a Access) ByKey() bool { return a >= Users }

// Unlimited reports whether requests are not counted.
func (a Access) Unlimited() bool { return a == Probe || a == Monitor }
