package work

// How many attempts may fail before work is given up, by kind of work. Only failures of the work itself count;
// Progress, Again and Postpone set their number back to 0. An attempt that an outage ended does not count.
const (
	AnalysisAttempts = 4
	CreationAttempts = 4  // to find or create the company of an email or a submission
	ReadingAttempts  = 8  // to read the text of an attached PDF
	ReceiveAttempts  = 5  // to store a mail that waits in storage
	ImportAttempts   = 20 // to write the batches of an import
	UndoAttempts     = 20 // to undo an import
	PurgeAttempts    = 20 // to remove files
	DeliveryAttempts = 10 // to send a message of a webhook, for failures other than the receiver's
)
