// Package browser holds tests that use the pages as people do: in Chromium, against the built programs. Whatever a page
// writes to the browser's console as an error, and whatever it asks of another host, fails the test that opened it.
//
// Without Chromium the tests are skipped, unless CI is set.
package browser
