package account

import "dealflow/internal/fault"

// Roles of a member. Members work with deals; owners and admins also change the team's settings. The database decides
// what a role may do, by app_admin_account_ids and the policies that call it: see migrations/schema.sql.
const (
	RoleOwner  = "owner"
	RoleAdmin  = "admin"
	RoleMember = "member"
)

func checkRole(role string) error {
	if role != RoleOwner && role != RoleAdmin && role != RoleMember {
		return fault.Field("role", "must be owner, admin or member")
	}
	return nil
}
