//go:build race

package pdftext

// overhead is how many bytes the process takes for one that is allocated: the race detector keeps a record of each.
const overhead = 10
