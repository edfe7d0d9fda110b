package pdftext

// Seal is seal, for a test that tries to break out of it.
func Seal(cacheDir string) (cache string, missing []string) { return seal(cacheDir) }
