package main

import (
	"context"
	"sync"
	"time"

	"dealflow/internal/metrics"
	"dealflow/internal/wakeup"
	"dealflow/internal/webhook"
	"dealflow/internal/work"
	"dealflow/jobs"
)

// webhookLease is how long a delivery is reserved for a process that does not extend its lease. Then another process
// may claim it.
const webhookLease = 30 * time.Second

// buildWebhooks builds the registry of metrics, and the services that store webhooks and send their messages. The API
// runs these services, since the webhooks' secrets are encrypted with SECRET_KEYS. Workers, which read the documents of
// strangers, do not have these keys.
func (a *api) buildWebhooks(rows *work.Store) (err error) {
	a.metrics = a.registry()
	a.hooks, err = webhook.New(webhook.Deps{
		DB: a.db, Work: rows, Secrets: a.cfg.Secrets.Bytes(), AllowPrivate: a.cfg.Webhooks.AllowPrivate,
		MailBase: a.mailBase(), Count: metrics.NewWebhooks(a.metrics, a.webhookWait), Logger: a.log,
	})
	if err != nil {
		return err
	}
	a.sender = jobs.NewWorker(jobs.Deps{
		Redis: a.redis, Work: rows, Publisher: wakeup.NewPublisher(a.redis), Webhooks: a.hooks,
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

// runWebhooks adds deliveries for new changes, and sends them, until ctx ends. An error of the sender is only logged,
// and the API continues to serve.
func (a *api) runWebhooks(ctx context.Context) {
	var creating sync.WaitGroup
	defer creating.Wait() // the database is closed next
	creating.Go(func() { a.hooks.Run(ctx) })
	if err := a.sender.Run(ctx); err != nil {
		a.log.ErrorContext(ctx, "no messages of webhooks are sent by this process", "error", err)
	}
}
