// Package faults has tests that run the built service under load while its processes and servers are killed, stopped
// and cut off at random moments. Then they check that each company whose creation was acknowledged exists once, with
// its deck and its analysis, and that no file is left that belongs to nothing. The tests need the build tag faults;
// `make test-faults` runs them.
//
// FAULTS_SEED is the seed of the random moments, which the log names, and FAULTS_SECONDS is how long the load lasts.
package faults
