package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// attach posts an attachment.
func (s *server) attach(id, key string, parts ...part) reply {
	s.Helper()
	body, media := encodeForm(s.T, parts...)
	return s.send(request{
		Method: http.MethodPost, Path: companies + "/" + id + "/attachments", Key: key, Body: body, Type: media,
	})
}

func TestAttachmentsAreKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, member := s.colleague("Mia Member", "member")
	id := s.company(s.key, part{"file_0", "deck.pdf", samplePDF(t)}, part{"file_1", "b.txt", "b"})
	got := s.attach(id, member, part{"title", "", "Cap table"}, part{"file", "dir/Série A.txt", "table"},
		part{"account_id", "", s.account.ID.String()}, part{"description", "", "May"}, part{
			"other", "", "x",
		}).want(http.StatusCreated)
	for path, want := range map[string]any{
		"data.attachment.title": "Cap table", "data.attachment.original_filename": "Série A.txt",
		"data.attachment.description": "May", "data.attachment.company_id": id,
		"data.attachment.account_id": s.account.ID.String(), "data.attachment.attachment_type": "file",
		"data.attachment.file_mime_type": "text/plain", "data.attachment.link_url": nil,
	} {
		if got.at(path) != want {
			t.Errorf("%s is %v, want %v", path, got.at(path), want)
		}
	}
	names := strings.Join(slices.Sorted(maps.Keys(got.keys("data.attachment"))), " ")
	if names != "account_id attachment_type company_id created_at description file_mime_type file_path file_size_bytes "+
		"id link_url original_filename title updated_at" {
		t.Errorf("an attachment has %s", names)
	}
	link := s.attach(id, s.key, part{"link_url", "", "https://room.example/1"}).want(http.StatusCreated)
	if link.at("data.attachment.attachment_type") != "link" || link.at("data.attachment.file_path") != nil {
		t.Errorf("a link is %s", link.Raw)
	}
	listed := s.get(companies+"/"+id+"/attachments", s.key).want(http.StatusOK)
	if list := listed.at("data.attachments").([]any); len(list) != 3 || listed.at("data.attachments.0.title") != "b.txt" ||
		!sameJSON(list[1], got.at("data.attachment")) {
		t.Errorf("listed %s", listed.Raw)
	}
	one := companies + "/" + id + "/attachments/" + got.text("data.attachment.id")
	url := s.get(one+"/download?expires_in=5", s.key).want(http.StatusOK)
	file := s.get(s.local(url.text("data.download_url")), "").want(http.StatusOK)
	if string(file.Raw) != "table" || !strings.Contains(file.Header.Get("Content-Disposition"), "attachment") ||
		url.text("data.expires_at") == "" {
		t.Errorf("downloaded %q with %v", file.Raw, file.Header)
	}
	s.get(companies+"/"+id+"/attachments/"+link.text("data.attachment.id")+"/download", s.key).refused(404,
		messageOf(404), "no_file", "attachment_id")
	s.remove(one, member).want(http.StatusOK)
	s.get(s.local(url.text("data.download_url")), "").want(http.StatusNotFound)
	s.remove(one, s.key).refused(404, messageOf(404), "not_found", "")
	if keys := s.stored(); len(keys) != 2 {
		t.Errorf("stored %v", keys)
	}
}

func TestAttachmentsAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	elsewhere, stranger := s.stranger()
	_, member := s.colleague("Mia Member", "member")
	id := s.make(s.key, nil)
	hidden := s.make(s.key, map[string]any{"visibility": "private"})
	file := part{"file", "a.txt", "a"}
	for name, tc := range map[string]struct {
		id, key     string
		parts       []part
		status      int
		code, field string
	}{
		"nothing":       {id, s.key, []part{{"title", "", "T"}}, 400, "invalid_field", "file"},
		"empty file":    {id, s.key, []part{{"file", "a.txt", ""}}, 400, "invalid_field", "file"},
		"file as field": {id, s.key, []part{{"file", "", "x"}}, 400, "invalid_field", "file"},
		"another file":  {id, s.key, []part{file, {"deck", "b.txt", "b"}}, 400, "invalid_field", "deck"},
		"two files":     {id, s.key, []part{file, {"file", "b.txt", "b"}}, 400, "invalid_field", "file"},
		"too large": {
			id, s.key, []part{{"file", "a.bin", strings.Repeat("a", 1<<20+1)}}, 413, "file_too_large", "file",
		},
		"empty title":           {id, s.key, []part{file, {"title", "", ""}}, 400, "invalid_field", "title"},
		"blank title":           {id, s.key, []part{file, {"title", "", " "}}, 400, "invalid_field", "title"},
		"title with NUL":        {id, s.key, []part{file, {"title", "", "a\x00"}}, 400, "invalid_field", "title"},
		"description not UTF-8": {id, s.key, []part{file, {"description", "", "a\xff"}}, 400, "invalid_field", "description"},
		"account no id":         {id, s.key, []part{file, {"account_id", "", "x"}}, 400, "invalid_field", "account_id"},
		"account unknown":       {id, s.key, []part{file, {"account_id", "", missing()}}, 404, "not_found", ""},
		"account foreign": {
			id, s.key, []part{file, {"account_id", "", elsewhere.ID.String()}}, 403, "access_denied", "",
		}, "both": {id, s.key, []part{file, {"link_url", "", "https://a.example"}}, 400, "invalid_field", "file"},
		"script":       {id, s.key, []part{{"link_url", "", "javascript:1"}}, 400, "invalid_field", "link_url"},
		"stranger":     {id, stranger, []part{file}, 403, "access_denied", ""},
		"hidden":       {hidden, member, []part{file}, 404, "not_found", ""},
		"no such":      {missing(), s.key, []part{file}, 404, "not_found", ""},
		"malformed":    {"42", s.key, []part{file}, 404, "not_found", ""},
		"fields first": {missing(), s.key, []part{file, {"title", "", ""}}, 400, "invalid_field", "title"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.attach(tc.id, tc.key, tc.parts...)
			got.t = t
			got.refused(tc.status, messageOf(tc.status), tc.code, tc.field)
			if n := s.count("company_files"); n != 0 || len(s.stored()) != 0 {
				t.Errorf("%d rows are left, stored %v", n, s.stored())
			}
		})
	}
	s.post(companies+"/"+id+"/attachments", s.key, `{"title":"T"}`).refused(415, messageOf(415), "unsupported_media_type",
		"Content-Type")
	for _, path := range []string{"", "/" + missing() + "/download"} {
		s.get(companies+"/"+id+"/attachments"+path, stranger).refused(403, messageOf(403), "access_denied", "")
		s.get(companies+"/"+hidden+"/attachments"+path, member).refused(404, messageOf(404), "not_found", "")
	}
	s.remove(companies+"/"+id+"/attachments/"+missing(), stranger).refused(403, messageOf(403), "access_denied", "")
	s.remove(companies+"/"+id+"/attachments/x", s.key).refused(404, messageOf(404), "not_found", "")
	s.get(companies+"/"+id+"/attachments/"+missing()+"/download?expires_in=0", s.key).refused(400,
		"Invalid request parameters", "invalid_parameter", "expires_in")
}
