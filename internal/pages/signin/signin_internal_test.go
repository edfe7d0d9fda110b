package signin

import "testing"

func TestSafeNext(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"/app":                           "/app",
		"/app/":                          "/app/",
		"/app?x=1":                       "/app?x=1",
		"/app/8366cf5c/board?search=a#b": "/app/8366cf5c/board?search=a#b",
		"":                               "/app",
		"/application":                   "/app",
		"/app.evil.example":              "/app",
		"/app/../admin":                  "/app",
		"/app/%2e%2e/admin":              "/app",
		"/admin":                         "/app",
		"app/board":                      "/app",
		"//evil.example/app/":            "/app",
		"https://evil.example/app/":      "/app",
		`/\\evil.example/app/`:           "/app",
		`/app/\\evil.example`:            "/app",
		"javascript:/app/":               "/app",
	} {
		if got := safeNext(given); got != want {
			t.Errorf("safeNext(%q) = %q, want %q", given, got, want)
		}
	}
}
