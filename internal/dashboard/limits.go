package dashboard

// How many days the charts have: the fewest and the most that a caller may ask for, and the default.
const (
	MinDays     = 7
	MaxDays     = 365
	DefaultDays = 30
)

// newestActivity is how many entries of the activity are shown.
const newestActivity = 20
