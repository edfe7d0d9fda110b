package jobs

import "testing"

func TestWithoutForeign(t *testing.T) {
	t.Parallel()
	const own = `<link rel="icon" href="/admin/queues/favicon.ico"/><script>window.x="https://not.a.link"</script>`
	for _, elsewhere := range []string{
		`<link rel="stylesheet" href="https://fonts.example/css?family=Roboto:300&display=swap"/>`,
		`<link href="//fonts.example/x" rel="stylesheet">`,
		`<link rel="preconnect" href="http://fonts.example">`,
	} {
		if got := string(withoutForeign([]byte(elsewhere + own))); got != own {
			t.Errorf("%s becomes %s", elsewhere, got)
		}
	}
}
