//go:build !race

package pdftext

// overhead is how many bytes the process takes for one that is allocated.
const overhead = 1
