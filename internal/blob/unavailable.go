package blob

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"syscall"

	"github.com/minio/minio-go/v7"

	"dealflow/internal/fault"
)

// codeUnavailable is the code of the faults that IsUnavailable recognizes.
const codeUnavailable = "storage_unavailable"

// IsUnavailable reports whether err says that the storage itself cannot serve now: it is full, read-only or broken, or
// does not answer. The same call may succeed later, so the error says nothing against a document or the work that
// needed it.
func IsUnavailable(err error) bool {
	f, found := errors.AsType[*fault.Error](err)
	return found && f.Kind == fault.Unavailable && f.Code == codeUnavailable
}

// trouble classifies an error of the storage: a fault is returned as it is, and so is any error once ctx has ended; any
// other becomes a fault of the kind Unavailable. Keys were checked before, so that such an error is one of the storage.
func trouble(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, found := errors.AsType[*fault.Error](err); found {
		return err
	}
	return fault.New(fault.Unavailable, codeUnavailable).Because(err)
}

// isTemporary reports whether an error of Open means that the storage is out of service now, and not that it is
// configured wrongly.
func isTemporary(err error) bool {
	for _, code := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ESTALE} {
		if errors.Is(err, code) {
			return true
		}
	}
	if _, found := errors.AsType[net.Error](err); found {
		return true
	}
	answer, found := errors.AsType[minio.ErrorResponse](err)
	return found && answer.StatusCode >= http.StatusInternalServerError
}

// troubleOf is trouble for a file that must exist: a missing one is a fault of the kind NotFound, unless the whole
// folder has gone, for example because it is not mounted any more.
func (s *Store) troubleOf(ctx context.Context, err error) error {
	if err != nil && isMissing(err) && !s.backend.isGone() {
		return fault.NewNotFound().Because(err)
	}
	return trouble(ctx, err)
}

func isMissing(err error) bool {
	answer, found := errors.AsType[minio.ErrorResponse](err)
	return found && answer.Code == minio.NoSuchKey || errors.Is(err, fs.ErrNotExist)
}
