package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

func (a *API) listShares(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	people, err := a.Companies.Shares(c.Request.Context(), caller.UserID, id)
	if err != nil {
		return err
	}
	shares := make([]wirePerson, len(people))
	for i, person := range people {
		shares[i] = showPerson(person)
	}
	return a.ok(c, gin.H{"shares": shares})
}

// shareCompany lets a member see a company whose visibility is, or becomes, shared.
func (a *API) shareCompany(c *gin.Context) error {
	body, err := a.readObject(c.Request)
	if err != nil {
		return err
	}
	with := uuid.Nil
	body.requiredText("user_id")
	if id := body.id("user_id"); id != nil {
		with = *id
	}
	if err := body.err(); err != nil {
		return err
	}
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	person, err := a.Companies.Share(c.Request.Context(), caller.UserID, id, with)
	if err != nil {
		return err
	}
	return a.created(c, gin.H{"share": showPerson(person)})
}

func (a *API) unshareCompany(c *gin.Context) error {
	id, err := pathID(c, "id")
	if err != nil {
		return err
	}
	with, err := pathID(c, "user_id")
	if err != nil {
		return err
	}
	caller, _ := callerOf(c)
	if err := a.Companies.Unshare(c.Request.Context(), caller.UserID, id, with); err != nil {
		return err
	}
	return a.ok(c, gin.H{"message": "Share removed"})
}
