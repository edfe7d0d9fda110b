// Package config reads the settings of the processes from the environment, with a section for each concern. LoadAPI and
// the other Load functions report every mistake at once. Other packages read only variables that other projects define,
// such as AWS_REGION and NO_COLOR. The commands of the tool and the tests also read some variables of their own.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"time"

	"github.com/caarlos0/env/v11"
)

// API has the settings of cmd/api.
type API struct {
	HTTP     apiHTTP
	Bodies   bodies
	Database database
	Redis    redis
	Storage  storage
	Files    files
	Secrets  secrets
	Operator operator
	Limits   limits
	Signup   signup
	Sessions sessions
	Mail     mailServer
	Analysis analysis
	Reader   Reader
	Tracing  tracing
	Webhooks webhooks
	Log      Log
}

// Storing returns how many uploads may be stored at once: Limits.Uploads, but at most three quarters of the connections
// to the database, so that some are left for everything else. If Limits.Uploads is 0, it returns three quarters. These
// are rounded down, but never 0.
func (a *API) Storing() int {
	most := max(1, a.Database.MaxConnections*3/4)
	if a.Limits.Uploads == 0 {
		return most
	}
	return min(most, a.Limits.Uploads)
}

// Worker has the settings of cmd/worker.
type Worker struct {
	HTTP     workerHTTP
	Bodies   bodies
	Database database
	Redis    redis
	Storage  storage
	Files    files
	Operator operator
	Queue    queue
	Reader   Reader
	Model    Model
	Mail     mailServer
	Audit    audit
	Changes  changes
	Analysis analysis
	Tracing  tracing
	Log      Log
}

type section interface{ Validate() []error }

// LoadAPI reads the settings of cmd/api. The error lists every setting that is missing or wrong.
func LoadAPI() (API, error) {
	var c API
	err := load(&c, &c.HTTP, &c.Bodies, &c.Database, &c.Redis, &c.Storage, &c.Files, &c.Secrets, &c.Operator,
		&c.Limits, &c.Signup, &c.Sessions, &c.Mail, &c.Analysis, &c.Reader, &c.Tracing, &c.Webhooks, &c.Log)
	return c, err
}

// LoadWorker reads the settings of cmd/worker. The error lists every setting that is missing or wrong.
func LoadWorker() (Worker, error) {
	var c Worker
	err := load(&c, &c.HTTP, &c.Bodies, &c.Database, &c.Redis, &c.Storage, &c.Files, &c.Operator, &c.Queue, &c.Reader,
		&c.Model, &c.Mail, &c.Audit, &c.Changes, &c.Analysis, &c.Tracing, &c.Log)
	return c, err
}

// load sets the fields of target, a pointer to a struct of sections, from the environment, and validates the sections.
// Each of these must be a pointer to a field of target or, as an embeddable, have such pointers. The error lists every
// mistake.
func load(target any, sections ...section) error {
	mistakes := parse(reflect.ValueOf(target).Elem())
	for _, s := range sections {
		mistakes = append(mistakes, s.Validate()...)
	}
	if len(mistakes) == 0 {
		return nil
	}
	return fmt.Errorf("these settings are wrong:\n%w", errors.Join(mistakes...))
}

// parse sets the sections of settings, an addressable struct, from the environment, and returns an error for each
// variable that cannot be parsed. A section whose first field has no env tag is itself a struct of sections. parse
// reads each section alone, so that the error can name the variable.
func parse(settings reflect.Value) []error {
	var mistakes []error
	for _, field := range settings.Fields() {
		if field.NumField() > 0 && field.Type().Field(0).Tag.Get("env") == "" {
			mistakes = append(mistakes, parse(field)...)
			continue
		}
		err := env.Parse(field.Addr().Interface())
		var many env.AggregateError
		if err == nil || !errors.As(err, &many) {
			mistakes = append(mistakes, compact(err)...)
			continue
		}
		for _, one := range many.Errors {
			mistakes = append(mistakes, named(field.Type(), one))
		}
	}
	return mistakes
}

func compact(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

// named returns an error that names the variable of the section whose value could not be parsed, and says what it must
// be. It returns an error other than env.ParseError unchanged.
func named(section reflect.Type, err error) error {
	var wrong env.ParseError
	if !errors.As(err, &wrong) {
		return err
	}
	field, _ := section.FieldByName(wrong.Name)
	return fmt.Errorf("%s=%s: must be %s", field.Tag.Get("env"), os.Getenv(field.Tag.Get("env")), kindOf(field.Type))
}

// kindOf returns a description of the values that a setting of type t may have, such as "true or false".
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a duration, such as 30s, 5m or 24h"
	case t == reflect.TypeFor[slog.Level]():
		return "DEBUG, INFO, WARN or ERROR"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return "a whole number, such as 20"
	}
	return "a " + t.Kind().String()
}
