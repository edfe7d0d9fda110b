// Package browser has tests that use the pages as people do: in Chromium, with the built programs. A test fails if a
// page that it opens writes an error to the browser's console, or sends a request to another host.
//
// Without Chromium the tests are skipped, unless CI is set.
package browser
