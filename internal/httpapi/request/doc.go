// Package request reads what clients send: JSON objects, query parameters, forms and bodies that come slowly. Values
// are read one by one, so that a refusal names every wrong one. It knows no resource and no route.
package request
