package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dealflow/internal/notify"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
	"dealflow/jobs"
)

// webhookLease is how long a delivery is left to a process that shows no sign of life. After that another process takes
// it.
const webhookLease = 30 * time.Second

// buildWebhooks builds the services that store webhooks and send their messages, and the registry of metrics. The API
// runs these services, since the webhooks' secrets are sealed with SECRET_KEYS, which workers that read strangers'
// documents do not have.
func (a *api) buildWebhooks(rows *work.Store) (err error) {
	sent := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dealflow_webhook_deliveries_total", Help: "Attempts at messages of webhooks: delivered, failed or given_up.",
	}, []string{"outcome"})
	for _, outcome := range []string{"delivered", "failed", "given_up"} {
		sent.WithLabelValues(outcome) // 0 from the start, so that an alert sees the first
	}
	a.hooks, err = webhook.New(webhook.Deps{
		DB: a.db, Work: rows, Secrets: a.cfg.Secrets.Bytes(), AllowPrivate: a.cfg.Webhooks.AllowPrivate,
		MailBase: a.mailBase(), Count: func(outcome string) { sent.WithLabelValues(outcome).Inc() }, Logger: a.log,
	})
	if err != nil {
		return err
	}
	a.metrics = a.registry()
	a.metrics.MustRegister(sent, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dealflow_webhook_wait_seconds", Help: "Age of the oldest message of a webhook that was never tried.",
	}, a.webhookWait))
	a.sender = jobs.NewWorker(jobs.Deps{
		Redis: a.redis, Work: rows, Publisher: notify.NewPublisher(a.redis), Webhooks: a.hooks,
		Sending: a.cfg.Webhooks.Concurrency, Lease: webhookLease, Metrics: a.metrics, Logger: a.log,
	})
	return nil
}

// mailBase returns the URL of the service for links in mails, or "" if the service sends no mails.
func (a *api) mailBase() string {
	if !a.cfg.Mail.Enabled() {
		return ""
	}
	return a.cfg.HTTP.PublicURL
}

func (a *api) webhookWait() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	wait, err := a.hooks.Wait(ctx)
	if err != nil {
		return -1
	}
	return wait.Seconds()
}

// runWebhooks adds deliveries for new changes, and sends them, until the context ends. An error of the sender is only
// logged: the API serves on.
func (a *api) runWebhooks(ctx context.Context) {
	go a.hooks.Run(ctx)
	if err := a.sender.Run(ctx); err != nil {
		a.log.ErrorContext(ctx, "no messages of webhooks are sent by this process", "error", err)
	}
}
