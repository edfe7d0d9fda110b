package upload

// MaxFiles is how many files one AI creation takes.
const MaxFiles = 10
