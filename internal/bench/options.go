package main

import (
	"flag"
	"strconv"
	"strings"
	"time"
)

// options has the values of the flags; see parse for what they mean.
type options struct {
	data

	programs    string
	servers     string
	postgresBin string
	connections int
	slice       time.Duration
	rounds      int
	rows        string
	quick       bool
	output      string
	section     string
	growth      bool
	sizes       []int
	serveLimit  bool
	limitAddr   string
	limitFolder string
}

func parse() options {
	var o options
	flag.IntVar(&o.companies, "companies", 100_000, "the number of companies to seed")
	flag.IntVar(&o.accounts, "accounts", 20, "the number of accounts to which they belong")
	flag.IntVar(&o.connections, "connections", 16, "the number of requests at once")
	flag.DurationVar(&o.slice, "slice", time.Second, "how long requests are sent to one side before the other")
	flag.IntVar(&o.rounds, "rounds", 3, "turns of each row")
	flag.StringVar(&o.rows, "rows", "", "measure only these rows, separated by commas; all if empty")
	flag.BoolVar(&o.quick, "quick", false, "10,000 companies and one short turn, to check that everything works")
	flag.StringVar(&o.programs, "bin", "bin", "folder of api, worker and dealflow")
	flag.StringVar(
		&o.servers,
		"servers",
		".dealflow/servers",
		"folder in which Postgres and Redis are unpacked where they have to be fetched",
	)
	flag.StringVar(&o.postgresBin, "pg-bin", "", "folder of Postgres's programs; looked for if empty")
	flag.StringVar(&o.output, "o", "", "Markdown file in which the table replaces a section")
	flag.StringVar(&o.section, "section", "now", "the section of that file")
	flag.BoolVar(
		&o.growth,
		"growth",
		false,
		"measure at 10 thousand, 100 thousand and a million companies in one account, and at 1 to 256 connections",
	)
	sizes := flag.String("sizes", "10000,100000,1000000", "the sizes at which -growth measures")
	flag.BoolVar(&o.serveLimit, "serve-limit", false, "serve as the limit program (the bench starts itself so)")
	flag.StringVar(&o.limitAddr, "limit-addr", "", "where the limit program listens")
	flag.StringVar(&o.limitFolder, "limit-folder", "", "where the limit program writes uploads")
	flag.Parse()
	for size := range strings.SplitSeq(*sizes, ",") {
		n, _ := strconv.Atoi(size)
		o.sizes = append(o.sizes, max(n, 1000))
	}
	if o.quick {
		o.companies, o.slice, o.rounds = 10_000, 300*time.Millisecond, 1
	}
	return o
}
