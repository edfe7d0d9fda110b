//go:build race

package pdftext

// overhead is how many bytes the process needs for each byte that is allocated: the race detector keeps a record of
// each.
const overhead = 10
