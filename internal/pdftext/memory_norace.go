//go:build !race

package pdftext

// overhead is how many bytes the process needs for each byte that is allocated.
const overhead = 1
