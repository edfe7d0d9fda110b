package mimemail

// Bounds of what one message may cost. The message's warnings name what was cut; the raw message is complete.
const (
	maxParts     = 5000
	maxNesting   = 100
	maxForwarded = 3       // how deep messages within it are searched for files
	maxHead      = 1 << 20 // bytes of a header
)

// maxContent is how many bytes of text are kept: far more than people write, and little enough for a list of emails.
const maxContent = 4 << 20

// The most addresses, references and characters of the subject that are kept of a header. The rest is cut off.
const (
	maxAddresses  = 1000
	maxReferences = 200
	maxSubject    = 10_000 // characters
)

// MaxAddress and MaxID are the most characters of an address and of a message's ID. A longer address is left out, and a
// longer ID is replaced by a hash. A sender's name, and a From without an address, are cut to MaxAddress characters.
const (
	MaxAddress = 320
	MaxID      = 500
)

// maxAddressField is how many bytes of one header of addresses are read.
const maxAddressField = 256 << 10

// maxFileName is the largest number of characters of a name in a file system.
const maxFileName = 255

// maxFiles is the largest number of attachments that are separate files: each is written and synced separately.
const maxFiles = 100

// maxFormParts bounds the fields and files of a form; maxSignatureField bounds how much is read of one field of a
// signature.
const (
	maxFormParts      = 2000
	maxSignatureField = 4096
)

// maxMediaType is how many bytes of a Content-Type are read: the library needs more than linear time for its
// parameters.
const maxMediaType = 8 << 10

// maxSegments is how many pieces the value of a parameter may have.
const maxSegments = 100

// maxWord is how many bytes are searched for the end of an encoded word. RFC 2047 allows 75 for all of it.
const maxWord = 8 << 10

// The most warnings of one message, and the most characters of one warning.
const (
	maxWarnings = 20
	maxWarning  = 200
)
