package blob

import (
	"fmt"
	"strings"
)

// maxKey and maxPart leave room for the suffix of a temporary file within S3's 1024 bytes and a file system's 255.
const (
	maxKey  = 512
	maxPart = 200
)

// checkKey returns an error unless a key consists of parts of a-z, 0-9, "_", "." and "-", joined by single slashes,
// with at most maxPart bytes in a part and maxKey in all. No part may begin with a dot or hold two in a row. The
// service makes all keys, never from a client's file name, so an error is a mistake of the caller.
func checkKey(key string) error {
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, isForeign) {
		return badKey(key)
	}
	for part := range strings.SplitSeq(key, "/") {
		// A leading dot covers "." and "..", and keeps hidden files out of the folder.
		if part == "" || len(part) > maxPart || part[0] == '.' || strings.Contains(part, "..") {
			return badKey(key)
		}
	}
	return nil
}

func checkKeys(keys ...string) error {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
	}
	return nil
}

func badKey(key string) error {
	return fmt.Errorf("%.80q is no storage key: use parts of a-z, 0-9, '_', '.' and '-' joined by '/'", key)
}

func isForeign(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		return false
	default:
		return !strings.ContainsRune("/_.-", r)
	}
}
