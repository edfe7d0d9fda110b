package metrics

import "github.com/prometheus/client_golang/prometheus"

// NewImports registers a counter of the rows of imports, and returns a function that adds numbers of rows to it, which
// is safe for concurrent use. It panics if the registry has the counter already.
func NewImports(registry prometheus.Registerer) func(written, duplicates, refused int64) {
	rows := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dealflow_import_rows_total", Help: "Rows of imports, by what became of them.",
	}, []string{"outcome"})
	registry.MustRegister(rows)
	return func(written, duplicates, refused int64) {
		rows.WithLabelValues("written").Add(float64(written))
		rows.WithLabelValues("duplicate").Add(float64(duplicates))
		rows.WithLabelValues("refused").Add(float64(refused))
	}
}
