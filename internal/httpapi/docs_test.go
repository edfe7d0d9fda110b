package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestThePageOfTheDocumentLoadsFromHereAlone follows what the page loads.
func TestThePageOfTheDocumentLoadsFromHereAlone(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.get("/docs", "").want(http.StatusOK)
	if got.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.HasPrefix(string(got.Raw), "<!DOCTYPE html>") {
		t.Errorf("%s: %.80s", got.Header.Get("Content-Type"), got.Raw)
	}
	policy := got.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; ") ||
		!strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	if inline := regexp.MustCompile(`<script[^>]*>[^<]|<style|\son\w+=`).FindString(string(got.Raw)); inline != "" {
		t.Errorf("the page holds %s, which the policy forbids", inline)
	}
	references := regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(string(got.Raw), -1)
	if len(references) < 5 {
		t.Errorf("the page loads %v", references)
	}
	for _, reference := range references {
		if file := s.get(reference[1], "").want(http.StatusOK); len(file.Raw) == 0 {
			t.Errorf("%s is empty", reference[1])
		}
	}
}

func TestOnlyFilesOfThePageAreBelowIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{
		"/docs/", "/docs/nothing.js", "/docs/embed.go", "/docs/../openapi.yaml", "/docs/static/",
	} {
		s.get(path, "").want(http.StatusNotFound)
	}
}
