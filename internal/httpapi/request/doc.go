// Package request reads what clients send: JSON objects, query parameters, forms and bodies that arrive slowly. Values
// are read one by one, so that one refusal can name every wrong value. It depends on no resource and no route.
package request
