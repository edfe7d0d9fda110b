package analyst

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"dealflow/internal/company"
	"dealflow/internal/company/aicreation"
	"dealflow/internal/company/upload"
	"dealflow/internal/fault"
)

// receive copies files as uploads of the draft, and sets d.Files to them. It leaves out files that are empty, too large
// or gone from storage. If more than upload.MaxFiles are left, it keeps documents first and pictures last, since mails
// have many logos. For each file that it leaves out it returns a sentence. After an error, d.Files has the files copied
// before, which the caller must discard.
func (c *Creator) receive(ctx context.Context, d *aicreation.Draft, files []StoredFile) (leftOut []string, err error) {
	for i, file := range files {
		up, err := c.copy(ctx, d.CompanyID, i, file)
		switch {
		case fault.Is(err, fault.TooLarge), fault.Is(err, fault.InvalidBody), fault.Is(err, fault.NotFound):
			leftOut = append(leftOut, fmt.Sprintf("%s: %s", upload.BaseName(file.FileName, "file"), whyLeftOut(err)))
		case err != nil:
			return nil, err
		default:
			d.Files = append(d.Files, up)
		}
	}
	all := slices.Clone(d.Files)
	slices.SortStableFunc(all, func(a, b upload.File) int { return rank(a) - rank(b) })
	if len(all) > upload.MaxFiles {
		for _, up := range all[upload.MaxFiles:] {
			leftOut = append(leftOut, fmt.Sprintf("%s: a company takes %d files at once", up.FileName, upload.MaxFiles))
		}
		c.creations.Uploads.Discard(ctx, d.CompanyID, all[upload.MaxFiles:])
		all = all[:upload.MaxFiles]
		slices.SortFunc(all, func(a, b upload.File) int { return a.Position - b.Position })
	}
	d.Files = all
	return leftOut, nil
}

func (c *Creator) copy(
	ctx context.Context, companyID uuid.UUID, position int, file StoredFile,
) (upload.File, error) {
	object, err := c.analyst.blobs.Open(ctx, file.StoragePath)
	if err != nil {
		return upload.File{}, err
	}
	defer object.Close()
	return c.creations.Uploads.Receive(ctx, companyID, position, file.FileName, object)
}

func whyLeftOut(err error) string {
	switch {
	case fault.Is(err, fault.TooLarge):
		return "it is too large"
	case fault.Is(err, fault.NotFound):
		return "it is gone from storage"
	default:
		return "it is empty"
	}
}

func rank(up upload.File) int {
	switch {
	case isDocument(up.MediaType):
		return 0
	case strings.HasPrefix(up.MediaType, "image/"):
		return 2
	default:
		return 1
	}
}

// isPresentation reports whether a file of this media type may be a deck by which a company is recognized. The schema's
// app_is_deck must agree.
func isPresentation(media string) bool {
	return slices.Contains([]string{
		company.PDF, "application/vnd.ms-powerpoint", "application/vnd.apple.keynote",
		"application/vnd.openxmlformats-officedocument.presentationml.presentation",
		"application/vnd.oasis.opendocument.presentation",
	}, media)
}

// isDocument reports whether a file of this media type may present a company: a presentation or a text, but no logo,
// signature or invitation to a meeting.
func isDocument(media string) bool {
	return isPresentation(media) || slices.Contains([]string{
		"application/msword", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
		"application/vnd.oasis.opendocument.text", "text/rtf",
	}, media)
}
