// Package foreign holds tests that run the built service on the servers that others run it on: PgBouncer in
// transaction mode, Redis Cluster, Redis Sentinel with a failover, TLS to Postgres and Redis, and an S3 server.
// Programs that others write judge its OpenAPI document and make a client of it. The tests need the tag foreign;
// `make test-foreign` runs them.
package foreign
