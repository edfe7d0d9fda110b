package account

import "dealflow/internal/fault"

// Roles of a member. Members work with deals; owners and admins also change the team's settings.
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
