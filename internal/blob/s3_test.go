package blob_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dealflow/internal/blob"
)

// bucketServer answers the part of the S3 protocol that a store uses, so that the real client is under test.
type bucketServer struct {
	mu      sync.Mutex
	objects map[string]s3Object
	parts   map[string]map[int][]byte // of unfinished uploads, by upload id
	opened  int
	failing int // the status of every answer; 0: none

	copyFor time.Duration // how long the server takes to copy a file
}

type s3Object struct {
	body  []byte
	media string
	at    time.Time
}

// newBucketServer returns the server and the storage URL that leads to it.
func newBucketServer(t *testing.T) (*bucketServer, string) {
	t.Helper()
	s := &bucketServer{objects: map[string]s3Object{}, parts: map[string]map[int][]byte{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, "s3://deals?region=eu-central-1&anonymous=true&use_path_style=true&endpoint=" +
		url.QueryEscape(srv.URL)
}

func (s *bucketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away: nothing is kept
	}
	if r.Header.Get("X-Amz-Copy-Source") != "" {
		time.Sleep(s.copyFor)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing != 0 {
		w.WriteHeader(s.failing)
		return
	}
	key := strings.TrimPrefix(r.URL.Path, "/deals/")
	query := r.URL.Query()
	switch {
	case key == "/deals" || key == "":
		s.list(w, query.Get("prefix"))
	case query.Has("uploads"), query.Has("uploadId"):
		s.multipart(w, r, key, body)
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != "":
		s.copy(w, key, r.Header.Get("X-Amz-Copy-Source"))
	case r.Method == http.MethodPut:
		s.objects[key] = s3Object{body: body, media: r.Header.Get("Content-Type"), at: time.Now()}
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.get(w, r, key)
	}
}

func (s *bucketServer) get(w http.ResponseWriter, r *http.Request, key string) {
	object, found := s.objects[key]
	if !found {
		refuse(w)
		return
	}
	w.Header().Set("Content-Type", object.media)
	http.ServeContent(w, r, "", object.at, strings.NewReader(string(object.body)))
}

func (s *bucketServer) copy(w http.ResponseWriter, key, source string) {
	source, _ = url.QueryUnescape(source)
	object, found := s.objects[strings.TrimPrefix(source, "deals/")]
	if !found {
		refuse(w)
		return
	}
	object.at = time.Now()
	s.objects[key] = object
	answer(w, "<CopyObjectResult></CopyObjectResult>")
}

func (s *bucketServer) multipart(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	id := r.URL.Query().Get("uploadId")
	switch r.Method {
	case http.MethodPut:
		number, _ := strconv.Atoi(r.URL.Query().Get("partNumber"))
		s.parts[id][number] = body
		w.Header().Set("ETag", `"part"`)
	case http.MethodDelete:
		delete(s.parts, id)
		w.WriteHeader(http.StatusNoContent)
	case http.MethodPost:
		if id == "" {
			s.opened++
			id = strconv.Itoa(s.opened)
			s.parts[id] = map[int][]byte{}
			answer(w, "<InitiateMultipartUploadResult><UploadId>"+id+"</UploadId></InitiateMultipartUploadResult>")
			return
		}
		var whole []byte
		for number := range len(s.parts[id]) {
			whole = append(whole, s.parts[id][number+1]...)
		}
		delete(s.parts, id)
		s.objects[key] = s3Object{body: whole, at: time.Now()}
		answer(w, "<CompleteMultipartUploadResult><Bucket>deals</Bucket><Key>"+key+"</Key></CompleteMultipartUploadResult>")
	}
}

func (s *bucketServer) list(w http.ResponseWriter, prefix string) {
	type content struct {
		Key          string
		LastModified string
		Size         int
	}
	result := struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []content
	}{}
	for key, object := range s.objects {
		if strings.HasPrefix(key, prefix) {
			result.Contents = append(result.Contents, content{key, object.at.UTC().Format(time.RFC3339), len(object.body)})
		}
	}
	text, _ := xml.Marshal(result)
	answer(w, string(text))
}

// fail makes the server answer each further request with a status; 0 makes it answer as usual again.
func (s *bucketServer) fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing = status
}

// keys returns every object's key, and every unfinished upload as "upload ID", sorted.
func (s *bucketServer) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key := range s.objects {
		keys = append(keys, key)
	}
	for id := range s.parts {
		keys = append(keys, "upload "+id)
	}
	slices.Sort(keys)
	return keys
}

// age makes an object look as if it had been written earlier.
func (s *bucketServer) age(key string, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	object := s.objects[key]
	object.at = object.at.Add(-by)
	s.objects[key] = object
}

// add makes an empty object.
func (s *bucketServer) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[name] = s3Object{at: time.Now()}
}

func refuse(w http.ResponseWriter) {
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
}

func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/xml")
	_, _ = fmt.Fprint(w, text)
}

// TestASlowCopy checks that a copy of 11 seconds is no outage: a server that copies large files slowly would take as
// long at each repeat.
func TestASlowCopy(t *testing.T) {
	t.Parallel()
	server, address := newBucketServer(t)
	server.copyFor = 11 * time.Second
	store := open(t, address)
	if _, err := store.Write(t.Context(), "incoming/a", strings.NewReader("deck"), 10); err != nil {
		t.Fatal(err)
	}
	if err := store.Keep(t.Context(), blob.Pair{From: "incoming/a", To: "companies/a/b"}); err != nil {
		t.Error(err)
	}
}
