package browser_test

import (
	"net/url"
	"regexp"
	"strings"

	"dealflow/client"
)

// fewest is how many pages must be found at least. With fewer, a page has lost links that lead to others.
const fewest = 15

// showEveryPage judges the pages that can be reached by links from the board, in three sizes. Of pages whose addresses
// differ only in ids or in the query, it judges the first.
func showEveryPage(b *tab, m *team) {
	id := m.add(pitch, deck)
	_, err := m.ChangeCompany(m.Context(), id, client.ChangeCompanyParams{}, client.ChangeCompanyBody{
		Notes: client.Set("```\n" + strings.Repeat("a long line of code ", 30) + "\n```"),
	})
	must(b.T, err)
	b.signIn(m)
	seen := map[string]bool{}
	for left := []string{eval[string](b, "location.pathname")}; len(left) > 0; left = left[1:] {
		if seen[shape(left[0])] {
			continue
		}
		seen[shape(left[0])] = true
		b.visit(m.base + left[0])
		b.judgeSizes(left[0])
		left = append(left, b.links(m.base)...)
	}
	if len(seen) < fewest {
		b.Errorf("there are only %d pages: %v", len(seen), seen)
	}
}

// links returns the paths and queries of the console's pages to which the open page has links, without downloads.
func (b *tab) links(base string) (paths []string) {
	b.Helper()
	for _, link := range eval[[]string](b, // a link in a drawing has no plain href
		"[...document.querySelectorAll('a[href]:not([download])')].map((a) => new URL(a.getAttribute('href'), "+
			"location).href)") {
		address, err := url.Parse(link)
		must(b.T, err)
		isPage := strings.HasPrefix(link, base+"/app") && !regexp.MustCompile(`\.\w+$|/attachments/|/deck|/export`).
			MatchString(address.Path)
		if isPage {
			paths = append(paths, address.RequestURI())
		}
	}
	return paths
}

// shape returns a path without its query, and with "*" in place of ids.
func shape(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).ReplaceAllString(path, "*")
}
