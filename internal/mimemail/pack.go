package mimemail

import (
	"archive/zip"
	"bytes"
	"fmt"
)

// Pack puts the last attachments of a message with more than maxFiles into one archive. It returns the files to keep,
// and how many of the given ones are in the archive. The same attachments make the same archive.
func Pack(files []File) (kept []File, packed int) {
	if len(files) <= maxFiles {
		return files, 0
	}
	last := files[maxFiles-1:]
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for i, file := range last {
		// Numbers keep names apart. Nothing is compressed: that would take time, and attachments mostly are already. A
		// buffer takes all.
		if entry, err := w.CreateHeader(&zip.FileHeader{
			Name: fmt.Sprintf("%04d %s", maxFiles+i, file.Filename), Method: zip.Store,
		}); err == nil {
			_, _ = entry.Write(file.Content)
		}
	}
	_ = w.Close()
	name := fmt.Sprintf("%d more attachments.zip", len(last))
	return append(files[:maxFiles-1:maxFiles-1],
		File{Filename: name, ContentType: "application/zip", Content: archive.Bytes()}), len(last)
}
