package sharing

import (
	"fmt"
	"html/template"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/httpapi/files"
	"dealflow/internal/share/visitor"
)

// viewedPage is what the template of a shared page shows.
type viewedPage struct {
	Title       string
	Description string
	Maker       string
	Account     string
	Until       string // the day on which the link expires; empty if it does not
	Code        string // of the link; addresses on the page begin with it
	Visit       string // to count time for; empty if nothing is counted
	Companies   []viewedCompany
}

// HasSlides reports whether pages of the deck of at least one company are shown.
func (v viewedPage) HasSlides() bool {
	return slices.ContainsFunc(v.Companies, func(c viewedCompany) bool { return len(c.Slides) > 0 })
}

type viewedCompany struct {
	Index    int // on the page, to link to it
	ID       string
	Name     string
	Slides   []viewedSlide // the pages of the deck, in order
	Deck     *viewedFile   // the stored one; nil if it cannot be downloaded
	DeckLink string        // an http or https URL
	DeckHost string

	Details     *viewedDetails
	Notes       template.HTML
	Attachments []viewedFile
}

// viewedSlide is a page of a deck: the URL of its picture, relative to that of the shared page, and the beginning of
// its text.
type viewedSlide struct{ URL, Text string }

type viewedDetails struct {
	Status, Color, Source, Added, Summary string
	Founders                              []viewedFounder
}

type viewedFounder struct {
	Name, Title, Background string
	Email, Phone, LinkedIn  string // as they were written
	MailTo, ProfileURL      string // their URLs; empty if they are not valid
	CallTo                  template.URL
}

// viewedFile is a file to download, or a link to another site, for which Outside is true. URL is empty if it cannot be
// opened. About is its kind and size, or the host of the link.
type viewedFile struct {
	Title, Description, About string
	URL                       string
	Outside                   bool
}

func (h *Handlers) viewPage(code string, page visitor.Page) viewedPage {
	view := viewedPage{
		Title: "Shared with you", Maker: page.Maker, Account: page.Account, Code: code,
		Companies: make([]viewedCompany, len(page.Companies)),
	}
	if page.Name != nil {
		view.Title = *page.Name
	}
	if page.Description != nil {
		view.Description = strings.TrimSpace(*page.Description)
	}
	if page.VisitID != uuid.Nil {
		view.Visit = page.VisitID.String()
	}
	expires := h.Now().Add(files.URLLifetime)
	if page.ExpiresAt != nil {
		view.Until = day(*page.ExpiresAt)
		if page.ExpiresAt.Before(expires) {
			expires = *page.ExpiresAt
		}
	}
	for i, one := range page.Companies {
		view.Companies[i] = h.viewCompany(code, one, expires, page.ViewOnly)
		view.Companies[i].Index = i
	}
	return view
}

func (h *Handlers) viewCompany(code string, one visitor.Shown, expires time.Time, viewOnly bool) viewedCompany {
	view := viewedCompany{ID: one.ID.String(), Name: one.Name}
	if notes := strings.TrimSpace(one.Notes); notes != "" {
		view.Notes = h.Markdown.HTML(notes)
	}
	if one.Deck != nil && !viewOnly {
		file := h.viewFile(*one.Deck, expires)
		view.Deck = &file
	}
	for i, text := range one.Pages {
		view.Slides = append(view.Slides, viewedSlide{
			fmt.Sprintf("%s/deck/%s/%d?%s", code, view.ID, i+1, one.Deck.ID), excerpt(text, longestAlt),
		})
	}
	if one.DeckLink != nil && (!viewOnly || len(one.Pages) == 0) { // the deck elsewhere has no watermark
		if link := webLink(*one.DeckLink); link != nil {
			view.DeckLink, view.DeckHost = link.String(), strings.TrimPrefix(link.Hostname(), "www.")
		}
	}
	if one.Details != nil {
		view.Details = viewDetails(*one.Details)
	}
	for _, file := range one.Attachments {
		shown := h.viewFile(file, expires)
		if viewOnly && !shown.Outside {
			shown.URL = ""
		}
		view.Attachments = append(view.Attachments, shown)
	}
	return view
}

// longestAlt is the maximum number of characters of a page's text that describe its picture, for people who do not see
// it.
const longestAlt = 300

// excerpt returns the first most characters of a text, and "…" after them if the text has more.
func excerpt(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

func (h *Handlers) viewFile(file company.File, expires time.Time) viewedFile {
	view := viewedFile{Title: file.Title}
	if file.Description != nil {
		view.Description = strings.TrimSpace(*file.Description)
	}
	if url := h.Files.URL(file, expires); url != nil {
		view.URL = *url
	}
	if file.SizeBytes != nil && file.MediaType != nil {
		view.About = kindOfFile(*file.MediaType) + " · " + sizeOf(*file.SizeBytes)
	}
	if file.LinkURL != nil {
		if link := webLink(*file.LinkURL); link != nil {
			view.URL, view.About, view.Outside = link.String(), strings.TrimPrefix(link.Hostname(), "www."), true
		}
	}
	return view
}

func viewDetails(d visitor.Details) *viewedDetails {
	view := &viewedDetails{Status: d.Status, Color: d.Color, Source: d.Source, Added: day(d.CreatedAt), Summary: d.Summary}
	for _, person := range d.Founders {
		one := viewedFounder{
			Name: person.Name, Title: person.Title, Background: person.Background, Email: person.Email, Phone: person.Phone,
			LinkedIn: person.LinkedIn,
		}
		if address, err := mail.ParseAddress(person.Email); err == nil && address.Address == person.Email {
			one.MailTo = "mailto:" + person.Email
		}
		if digits := dialable(person.Phone); digits != "" {
			one.CallTo = template.URL("tel:" + digits) //nolint:gosec // nothing but digits; the template would refuse the scheme
		}
		if link := webLink(person.LinkedIn); link != nil {
			one.ProfileURL, one.LinkedIn = link.String(), "LinkedIn"
		}
		view.Founders = append(view.Founders, one)
	}
	return view
}

// webLink parses the URL of a web page as people write it, such as "linkedin.com/in/ada", for which it returns an https
// URL. It returns nil for any other text, for schemes other than http and https, and for a URL with a user name.
func webLink(text string) *url.URL {
	text = strings.TrimSpace(text)
	if host, _, _ := strings.Cut(text, "/"); !strings.Contains(text, "://") && strings.Contains(host, ".") &&
		!strings.ContainsAny(host, " @:") {
		text = "https://" + text
	}
	link, err := url.Parse(text)
	if err != nil || link.Hostname() == "" || link.User != nil || (link.Scheme != "http" && link.Scheme != "https") {
		return nil
	}
	return link
}

// dialable returns a phone number without spaces, parentheses, dots, slashes and hyphens, such as "+442071234567". It
// returns "" if the number contains anything else but digits after an optional "+", or does not have from 4 to 20
// digits.
func dialable(phone string) string {
	bare := strings.NewReplacer(" ", "", "(", "", ")", "", ".", "", "/", "", "-", "", "\u00a0", "").Replace(phone)
	digits := strings.TrimPrefix(bare, "+")
	if len(digits) < 4 || len(digits) > 20 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return bare
}

// day formats the day of a time, in UTC, for people of any country.
func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

// kindOfFile returns what people call a media type, such as "PDF" or "Presentation"; "File" for one that it does not
// know.
func kindOfFile(media string) string {
	switch {
	case media == company.PDF:
		return "PDF"
	case strings.HasPrefix(media, "image/"):
		return "Image"
	case strings.HasPrefix(media, "text/"):
		return "Text"
	case strings.Contains(media, "presentation") || strings.Contains(media, "powerpoint"):
		return "Presentation"
	case strings.Contains(media, "spreadsheet") || strings.Contains(media, "excel"):
		return "Spreadsheet"
	case strings.Contains(media, "word"):
		return "Document"
	}
	return "File"
}

// sizeOf formats a number of bytes for people, in units of 1000 bytes, such as "12 kB" or "1.5 MB".
func sizeOf(bytes int64) string {
	const kilo = 1000
	switch {
	case bytes < kilo:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < kilo*kilo:
		return fmt.Sprintf("%d kB", (bytes+kilo/2)/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(kilo*kilo))
}
