// Package faults holds tests that run the built service under load while its parts are killed, stopped and cut off at
// seeded moments. Then they compare what is stored with what was acknowledged: whatever was acknowledged exists once,
// whole and analyzed, and nothing else is left. They need the tag faults; `make test-faults` runs them.
//
// FAULTS_SEED and FAULTS_SECONDS choose the moments and the length; a failure names its seed.
package faults
