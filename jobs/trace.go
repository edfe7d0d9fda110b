package jobs

import (
	"context"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"dealflow/internal/work"
)

// traceHeaders returns the headers of a task by which the worker continues the trace of the request that queued it. If
// the sweep queues the task, there are none, and the attempt begins a new trace with the same work.id.
func traceHeaders(ctx context.Context) map[string]string {
	headers := propagation.MapCarrier{}
	otel.GetTextMapPropagator().Inject(ctx, headers)
	return headers
}

// traceAttempt begins the span of an attempt. It returns the context of the span, and a function that must be called
// with the attempt's error or nil to end the span.
func traceAttempt(ctx context.Context, task *asynq.Task, item work.Item) (context.Context, func(error)) {
	ctx = otel.GetTextMapPropagator().Extract(ctx, propagation.MapCarrier(task.Headers()))
	ctx, span := otel.Tracer("dealflow/jobs").Start(ctx, "work "+item.Kind, trace.WithSpanKind(trace.SpanKindConsumer))
	if span.IsRecording() {
		span.SetAttributes(
			attribute.String("work.id", item.ID.String()), attribute.String("work.queue", item.Queue),
			attribute.Int("work.attempt", item.Attempt),
			attribute.String("request.id", item.RequestID), attribute.String("account.id", item.AccountID.String()),
		)
	}
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}
