// Package foreign holds tests that run the built service on the servers that others run it on: PgBouncer in transaction mode, Redis Cluster, Redis
// Sentinel with a failover, TLS to Postgres and Redis, and an S3 server. They need the tag foreign; `make test-foreign` runs them.
package foreign
