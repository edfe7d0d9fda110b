package dashboard

// The number of days that the charts show: the smallest and the largest that a caller may request, and the default.
const (
	MinDays     = 7
	MaxDays     = 365
	DefaultDays = 30
)

// newestActivity is how many entries of the activity are shown.
const newestActivity = 20
