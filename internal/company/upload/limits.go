package upload

import "time"

// MaxFiles is how many files one AI creation takes.
const MaxFiles = 10

const (
	keepTimeout   = 5 * time.Minute  // for Keep to copy files: far less than the age at which they are swept
	removeTimeout = 30 * time.Second // for the removal of files
)
