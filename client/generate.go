package client

//go:generate go run ./internal/generate ../internal/httpapi/openapi.yaml generated.go
