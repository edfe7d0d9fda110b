// Package foreign has tests that run the built service with other servers than those that it embeds: PgBouncer in
// transaction mode, Redis Cluster, Redis Sentinel with a failover, TLS to Postgres and Redis, and an S3 server. Other
// tests have third-party programs check the service's OpenAPI document, generate clients from it, and read its metrics.
// The tests need the build tag foreign; `make test-foreign` runs them.
package foreign
