package mimemail

import (
	"archive/zip"
	"bytes"
	"fmt"
)

// Pack returns the files of a message to keep. If there are more than maxFiles, it keeps the first maxFiles-1 and puts
// the others into one zip archive; packed is the number of files in the archive, else 0. Equal attachments make an
// equal archive. Pack does not change files.
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
