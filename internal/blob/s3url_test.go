package blob_test

import (
	"strings"
	"testing"

	"dealflow/internal/blob"
)

func TestBucketURLs(t *testing.T) { //nolint:paralleltest // sets variables
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Setenv(name, "")
	}
	for storageURL, want := range map[string]string{
		"s3://deals":                               "name the region",
		"s3://deals?region=x&regoin=y":             `unknown parameter "regoin"`,
		"s3://deals?region=x&use_path_style=maybe": "use true or false",
		"s3://deals?region=x&endpoint=minio:9000":  "write it as https://host",
		"s3://deals?region=x&endpoint=http://h/p":  "write it as https://host",
	} {
		_, err := blob.Open(t.Context(), storageURL)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", storageURL, err, want)
		}
	}
}

// The region and the endpoint may come from the usual variables.
func TestBucketOfTheEnvironment(t *testing.T) { //nolint:paralleltest // sets variables
	_, storageURL := newBucketServer(t)
	_, rest, _ := strings.Cut(storageURL, "endpoint=")
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ENDPOINT_URL", strings.NewReplacer("%3A", ":", "%2F", "/").Replace(rest))
	store, err := blob.Open(t.Context(), "s3://deals?anonymous=true&use_path_style=true")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Probe(t.Context()); err != nil {
		t.Error(err)
	}
}
