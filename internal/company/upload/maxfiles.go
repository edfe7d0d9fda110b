package upload

// MaxFiles is the maximum number of files of one AI creation.
const MaxFiles = 10
