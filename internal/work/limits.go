package work

// MaxInteractive is how many pieces of interactive work one account may have open, that is, queued or running. Further
// ones go to the bulk queue, in which accounts take turns. So an account that sends hundreds at once delays others by
// no more than MaxInteractive pieces.
const MaxInteractive = 16

// Admitted is how many bulk items of one account may be in the queue or with a worker at a time. It limits how long the
// first item of another account waits, and how many workers one account can occupy.
const Admitted = 8
