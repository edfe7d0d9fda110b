package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// bucketParameters returns the names of the parameters that a bucket's URL may have.
func bucketParameters() []string {
	return []string{"region", "endpoint", "use_path_style", "anonymous", "profile"}
}

// openBucket opens the bucket of a URL s3://bucket. Its parameters are region (else AWS_REGION or AWS_DEFAULT_REGION;
// one is required), endpoint (the URL of a server other than Amazon's; else AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL),
// use_path_style=true for a server that has no host name for each bucket, profile (of the shared credentials file; else
// AWS_PROFILE), and anonymous=true to sign nothing. Keys come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN, else from that file, else from the role of the container, the pod or the machine.
func openBucket(ctx context.Context, u *url.URL) (*Store, error) {
	options, host, err := bucketOptions(u)
	if err != nil {
		return nil, fmt.Errorf("storage URL: %w", err)
	}
	client, err := minio.New(host, options)
	if err != nil {
		return nil, fmt.Errorf("storage URL: %w", err)
	}
	b := bucket{client: client, name: u.Host}
	for _, err := range b.list(ctx, probePrefix) {
		if err != nil && !isTemporary(err) {
			return nil, fmt.Errorf("storage bucket %q cannot be listed, check its name, region, endpoint and credentials: %w",
				u.Host, err)
		}
		break // one answer is proof
	}
	return &Store{backend: b}, nil
}

func bucketOptions(u *url.URL) (*minio.Options, string, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, "", err
	}
	for name := range query {
		if !slices.Contains(bucketParameters(), name) {
			return nil, "", fmt.Errorf("unknown parameter %q: use %s", name, strings.Join(bucketParameters(), ", "))
		}
	}
	//nolint:forbidigo // as AWS's own tools
	region := cmp.Or(query.Get("region"), os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	if region == "" {
		return nil, "", errors.New("name the region of the bucket: s3://bucket?region=eu-central-1")
	}
	endpoint, err := bucketEndpoint(query.Get("endpoint"), region)
	pathStyle, badStyle := parseFlag(query, "use_path_style")
	anonymous, badAnonymous := parseFlag(query, "anonymous")
	if err := errors.Join(err, badStyle, badAnonymous); err != nil {
		return nil, "", err
	}
	options := &minio.Options{
		Creds: bucketKeys(query.Get("profile"), anonymous), Secure: endpoint.Scheme == "https", Region: region,
		Transport: newTransport(), MaxRetries: s3Attempts, BucketLookup: minio.BucketLookupDNS,
	}
	if pathStyle {
		options.BucketLookup = minio.BucketLookupPath
	}
	return options, endpoint.Host, nil
}

// bucketEndpoint returns the address of the server, https://host or http://host: named if it is not empty, else the
// address in the AWS variables, else Amazon's server of the region. It fails for an address with a path or without a
// host.
func bucketEndpoint(named, region string) (*url.URL, error) {
	//nolint:forbidigo // as AWS's own tools
	named = cmp.Or(named, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"),
		"https://s3."+region+".amazonaws.com")
	endpoint, err := url.Parse(named)
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	isHTTP := endpoint.Scheme == "https" || endpoint.Scheme == "http"
	if !isHTTP || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" {
		return nil, fmt.Errorf("endpoint is %q: write it as https://host or https://host:port", named)
	}
	return endpoint, nil
}

func bucketKeys(profile string, anonymous bool) *credentials.Credentials {
	if anonymous {
		return credentials.NewStaticV4("", "", "")
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{Profile: profile}, &credentials.IAM{},
	})
}

func parseFlag(query url.Values, name string) (bool, error) {
	if !query.Has(name) {
		return false, nil
	}
	on, err := strconv.ParseBool(query.Get(name))
	if err != nil {
		return false, fmt.Errorf("%s is %q: use true or false", name, query.Get(name))
	}
	return on, nil
}
