package httpapi

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/httpapi/route"
)

// unmatched is the route that logs, metrics and traces show for a request that no route serves. The path itself would
// create as many time series as there are paths, and may contain a secret.
const unmatched = "unmatched"

type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dealflow_http_requests_total", Help: "Answered requests.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dealflow_http_request_duration_seconds", Help: "From the request's header to the end of the answer.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}, []string{"route", "method"}),
	}
	registry.MustRegister(m.requests, m.duration)
	return m
}

// routePath returns the path of the route of a request, such as "/hooks/:token", or unmatched.
func routePath(c *gin.Context) string { return cmp.Or(c.FullPath(), unmatched) }

// observe runs the handlers that follow, and then counts and logs the request, even after a panic that drops the
// connection.
func (a *API) observe(c *gin.Context) {
	started := a.Now()
	defer func() {
		path, took := routePath(c), a.Now().Sub(started)
		status := c.Writer.Status()
		a.metrics.requests.WithLabelValues(path, knownMethod(c.Request.Method), strconv.Itoa(status)).Inc()
		a.metrics.duration.WithLabelValues(path, knownMethod(c.Request.Method)).Observe(took.Seconds())
		a.Logger.LogAttrs(c.Request.Context(), levelOf(route.Of(c).Access, status), "request",
			accessLine(c, path, status, took)...)
	}()
	c.Next()
}

// knownMethod returns a request's method for the labels of metrics; "other" for CONNECT, TRACE and unknown methods.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}
