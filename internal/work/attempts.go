package work

// The numbers of attempts that may fail before work is given up, by kind of work. Only failures of the work itself
// count, and Progress sets their number back to 0. An attempt that an outage cut short does not count.
const (
	AnalysisAttempts = 4
	CreationAttempts = 4  // at the company of an email or a submission that came in by itself
	ReadingAttempts  = 8  // at the text of an attached PDF
	ReceiveAttempts  = 5  // at a mail that waits in storage
	ImportAttempts   = 20 // at the batches of an import
	UndoAttempts     = 20 // at the undo of an import
	PurgeAttempts    = 20 // at the removal of files
	DeliveryAttempts = 10 // at a message of a webhook, where it is not its receiver that fails
)
