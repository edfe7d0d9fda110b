package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/uuid"

	"dealflow/internal/account"
	"dealflow/internal/fault"
	"dealflow/internal/ingest"
	"dealflow/internal/postgres"
	"dealflow/internal/work"
)

const (
	// defaultRowSize is the size in bytes over which a row is refused.
	defaultRowSize = 40 << 20
	// defaultHeartbeat is the interval at which a receiver reports that it is alive.
	defaultHeartbeat = time.Second
	// defaultPatience is how long a receiver tries to reach the database before it ends the import: longer than a
	// database takes to restart.
	defaultPatience = time.Minute
	// storagePatience is how long a receiver tries to write to storage while the database answers. It is long, since a
	// person has to free a full disk.
	storagePatience = time.Hour
)

// Request has what is needed to begin an import. The caller chooses its ID, so that it can store a reference to the
// import in the transaction that creates the import.
type Request struct {
	ID              uuid.UUID
	AccountID       uuid.UUID
	Kind            string
	Format          string
	CreateCompanies bool
	RequestID       string
}

// Begin stores an import that waits for its file, and returns it for Receive. The error is NotFound if there is no such
// account, and Forbidden if the user is not a member of it or, for KindAccount, not an owner or admin. If storage does
// not accept files now, blob.IsUnavailable reports true for the error.
func (s *Service) Begin(ctx context.Context, user uuid.UUID, o Request) (Import, error) {
	if err := s.blobs.Probe(ctx); err != nil {
		return Import{}, err
	}
	made := Import{
		ID: o.ID, AccountID: o.AccountID, Kind: o.Kind, Format: o.Format, CreateCompanies: o.CreateCompanies,
		Status: StatusReceiving, CreatedBy: user,
	}
	err := s.db.Write(ctx, user, func(tx *postgres.Tx) error {
		if err := requireRole(tx, o); err != nil {
			return err
		}
		if err := tx.Omit("SeenAt", "CreatedAt", "UpdatedAt").Create(&made).Error; err != nil {
			return fmt.Errorf("store the import: %w", err)
		}
		return load(tx, o.AccountID, made.ID, &made)
	})
	return made, err
}

// requireRole returns NotFound if there is no such account, and Forbidden if the user of the transaction may not begin
// the import: an import of KindAccount needs an owner or admin of the account, any other a member in any role.
func requireRole(tx *postgres.Tx, o Request) error {
	if o.Kind == KindAccount {
		return account.RequireAdmin(tx, o.AccountID)
	}
	_, err := account.RequireMember(tx, o.AccountID)
	return err
}

// Receive reads the file of an import that Begin returned, and returns the import in its state after that. It stops
// early if the file is not of its format, breaks off or cannot be stored; the Error of the import then says why. It
// also stops if the import is ended by something else, such as Cancel. Rows that arrived before are still written, by
// work that has this requestID, unless the import was cancelled. Receive returns an error only if it cannot read the
// import again. The end of ctx does not stop it. It closes the body only to interrupt a read of it.
//
// Before it stores a batch it waits for a turn, so that imports leave database connections to other requests. A nil
// turn is no limit.
func (s *Service) Receive(ctx context.Context, begun Import, requestID string, turn ingest.Turn,
	body io.ReadCloser,
) (Import, error) {
	r := &receiver{
		Service: s, it: begun, requestID: requestID, turn: turn, taken: make(chan struct{}, 1),
		batchIsFull: make(chan struct{}, 1),
	}
	// The client may go and the file break off: what has arrived is stored all the same.
	ctx = context.WithoutCancel(ctx)
	cause := r.run(ctx, body)
	if err := r.end(ctx, cause); err != nil {
		s.logger.WarnContext(ctx, "the end of an import could not be stored; the sweep will end it", "import_id", begun.ID,
			"error", err)
	}
	return s.Get(ctx, postgres.AsUser(begun.CreatedBy), begun.AccountID, begun.ID)
}

// receiver receives the file of one import. One goroutine splits the file into rows and adds them to a batch, another
// stores batches; so the next batch grows while one is stored.
type receiver struct {
	*Service

	it          Import
	requestID   string
	turn        ingest.Turn
	batchIsFull chan struct{} // requests that the batch is stored at once
	taken       chan struct{} // signals that a batch was taken, so that there is room

	mu      sync.Mutex
	growing batch
	spare   batch // the last batch stored, whose memory the next one uses
	stopped bool
}

// errStopped is the error if the import was ended by something else, for example by Cancel.
var errStopped = errors.New("the import has been ended")

// ending is the reason why no more rows are read; a nil cause is the end of the file.
type ending struct{ cause error }

// run receives the file. It returns nil at the end of the file, otherwise the reason why it stopped: errStopped, a
// fileError, or an error of the body, the database or the storage.
func (r *receiver) run(ctx context.Context, body io.ReadCloser) error {
	done := make(chan ending, 1)
	go func() { done <- ending{r.cutAll(body)} }()
	beat := time.NewTicker(r.heartbeat)
	defer beat.Stop()
	for {
		select {
		case end := <-done:
			if err := r.store(ctx, false); err != nil {
				return err
			}
			return end.cause
		case <-r.batchIsFull:
			if err := r.store(ctx, true); err != nil {
				return r.stop(body, done, err)
			}
		case <-beat.C: // of a file that arrives slowly, rows do not wait until a batch is full
			err := r.store(ctx, false)
			if err == nil {
				err = r.beat(ctx)
			}
			if err != nil {
				return r.stop(body, done, err)
			}
		}
	}
}

// stop makes the goroutine that splits the file end, waits for that, and returns cause. It interrupts both a read of
// the body, by closing it, and a put that waits for room.
func (r *receiver) stop(body io.Closer, done <-chan ending, cause error) error {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	r.signal(r.taken)
	_ = body.Close() // its error does not matter any more
	<-done
	return cause
}

func (*receiver) signal(channel chan<- struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// cutAll splits the file into rows and adds each to the batch. It returns nil at the end of the file, else a fileError,
// errStopped, or an error of reading the body.
func (r *receiver) cutAll(body io.Reader) error {
	rows, err := newSplitter(r.it.Kind, r.it.Format, body, r.maxRowSize)
	if err != nil {
		return err
	}
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.put(rows.header(), row); err != nil {
			return err
		}
	}
}

// put adds a row to the batch, and waits while the batch is full. The error is errStopped if the receiver was stopped.
func (r *receiver) put(head *header, row record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.growing.full(rowsOf(r.it.Kind)) && !r.stopped {
		r.mu.Unlock()
		r.signal(r.batchIsFull)
		<-r.taken
		r.mu.Lock()
	}
	if r.stopped {
		return errStopped
	}
	if r.growing.rows == 0 {
		if err := r.growing.reset(head); err != nil {
			return err
		}
	}
	r.growing.add(row)
	if r.growing.full(rowsOf(r.it.Kind)) {
		r.signal(r.batchIsFull)
	}
	return nil
}

// take returns the batch of rows added so far, and begins another. If onlyFull is true and the batch is not full, it
// returns an empty batch: batchIsFull may be signaled twice for one batch. The batch is valid until the next call.
func (r *receiver) take(onlyFull bool) batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if onlyFull && !r.growing.full(rowsOf(r.it.Kind)) {
		return batch{}
	}
	full := r.growing
	r.growing, r.spare = batch{encoded: r.spare.encoded[:0]}, full
	if isGiant(cap(full.encoded)) { // its memory is not kept
		r.spare = batch{}
	}
	r.signal(r.taken)
	return full
}

// store takes the batch (see take), puts it into storage and adds it to the import; it does nothing for a batch without
// rows. It repeats all but the taking as outlast does, and returns the errors of outlast.
func (r *receiver) store(ctx context.Context, onlyFull bool) error {
	full := r.take(onlyFull)
	if full.rows == 0 {
		return nil
	}
	number := r.it.Batches + 1
	defer r.live(ctx)()
	err := r.outlast(ctx, func() error {
		done, err := r.turn.Take(ctx)
		if err != nil {
			return err
		}
		defer done()
		if err := r.blobs.Put(ctx, batchKey(r.it.ID, number), full.encoded); err != nil {
			return err
		}
		return r.announce(ctx, number, full.rows)
	})
	if err != nil {
		return err
	}
	r.it.Batches, r.it.Total = number, r.it.Total+int64(full.rows)
	size := cap(full.encoded)
	full.encoded = nil
	releaseMemory(size)
	return nil
}

// live reports in the background that the receiver is alive, until stop is called: storing a batch may take longer than
// receiverQuiet.
func (r *receiver) live(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		beat := time.NewTicker(r.heartbeat)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				_ = r.beat(ctx) // announce finds out whether the import has ended
			}
		}
	})
	return func() {
		cancel()
		beating.Wait()
	}
}

// outlast repeats do as retry does, and reports meanwhile that the receiver is alive. It returns the error of do if
// another try would not help, or after r.patience; after storagePatience if the error is Unavailable. The error is
// errStopped if the import was ended by something else.
func (r *receiver) outlast(ctx context.Context, do func() error) error {
	for began := time.Now(); ; {
		err := retry(ctx, r.heartbeat, do)
		most := r.patience
		if fault.KindOf(err) == fault.Unavailable { // the storage, or this process has too much to store
			most = storagePatience
		}
		if err == nil || errors.Is(err, errStopped) || isFinal(err) || time.Since(began) > most {
			return err
		}
		if err := r.beat(ctx); err != nil {
			return err
		}
	}
}

// announce adds the stored batch with this number, counted from 1, and its number of rows to the import. It adds the
// work that writes the import unless such work is open. The error is errStopped if the import has ended.
func (r *receiver) announce(ctx context.Context, number, rows int) error {
	return r.db.As(ctx, r.it.CreatedBy, func(tx *postgres.Tx) error {
		fresh := postgres.NewID()
		var found []Import
		err := tx.Raw(`UPDATE imports SET batches = ?, total = total + ?, seen_at = now(), updated_at = now(),
			work_id = COALESCE(work_id, ?)
			WHERE id = ? AND status = 'receiving' AND batches = ? RETURNING *`, number, rows, fresh, r.it.ID,
			number-1).Scan(&found).Error
		switch {
		case err != nil:
			return fmt.Errorf("count a batch: %w", err)
		case len(found) == 0:
			return r.counted(tx, number)
		case *found[0].WorkID != fresh:
			return nil
		}
		return r.work.Add(tx, work.Item{
			ID: fresh, Kind: WorkImport, Queue: work.Bulk, AccountID: r.it.AccountID, SubjectID: &r.it.ID,
			MaxAttempts: work.ImportAttempts, RequestID: r.requestID,
		})
	})
}

// counted returns nil if the batch with this number was added to the import before, by a commit whose response was
// lost. It returns errStopped if the import has ended.
func (r *receiver) counted(tx *postgres.Tx, number int) error {
	var found []Import
	if err := tx.Raw("SELECT * FROM imports WHERE id = ?", r.it.ID).Scan(&found).Error; err != nil {
		return fmt.Errorf("read the import again: %w", err)
	}
	if len(found) == 0 || found[0].Status != StatusReceiving || found[0].Batches != number {
		return errStopped
	}
	return nil
}

// beat reports that the receiver is alive, and repeats that for r.patience if it fails. The error is errStopped if the
// import has ended.
func (r *receiver) beat(ctx context.Context) error {
	return retry(ctx, r.patience, func() error {
		return r.db.As(ctx, r.it.CreatedBy, func(tx *postgres.Tx) error {
			done := tx.Exec("UPDATE imports SET seen_at = now() WHERE id = ? AND status = 'receiving'", r.it.ID)
			if done.Error == nil && done.RowsAffected == 0 {
				return errStopped
			}
			return done.Error
		})
	})
}

// end records that no more rows will arrive, and why: cause is nil at the end of the file. Rows that have arrived are
// still written. For errStopped it does nothing.
func (r *receiver) end(ctx context.Context, cause error) error {
	if errors.Is(cause, errStopped) {
		return nil
	}
	problem := r.explain(ctx, cause)
	return retry(ctx, r.patience, func() error {
		return r.db.As(ctx, r.it.CreatedBy, func(tx *postgres.Tx) error {
			return tx.Exec(`UPDATE imports SET error = ?, updated_at = now(), finished_at =
				CASE WHEN work_id IS NULL THEN now() END,
				status = CASE WHEN work_id IS NOT NULL THEN 'running' WHEN ? THEN 'failed' ELSE 'completed' END
				WHERE id = ? AND status = 'receiving'`, problem, problem != nil, r.it.ID).Error
		})
	})
}

// explain returns a sentence for people that says why the file was not read completely; nil if cause is nil. It logs
// every cause except a fileError.
func (r *receiver) explain(ctx context.Context, cause error) *string {
	if cause == nil {
		return nil
	}
	if wrong, found := errors.AsType[fileError](cause); found {
		return new(string(wrong))
	}
	r.logger.WarnContext(ctx, "an import broke off", "import_id", r.it.ID, "rows", r.it.Total, "error", cause)
	return new(fmt.Sprintf("the upload broke off after %d rows: send the same file again, rows that are here already "+
		"are not added twice", r.it.Total))
}

// retry calls do until it returns nil, errStopped, or a fault other than Internal and Unavailable, and returns that. It
// pauses between the calls, for at most two seconds, and returns the last error of do if the next pause would end after
// patience. If ctx ends in a pause, it returns the error of ctx.
func retry(ctx context.Context, patience time.Duration, do func() error) error {
	deadline := time.Now().Add(patience)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := do()
		if err == nil || errors.Is(err, errStopped) || isFinal(err) || time.Now().Add(wait).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// isFinal reports whether another try would return the same error: whether it is a fault other than Internal and
// Unavailable.
func isFinal(err error) bool {
	kind := fault.KindOf(err)
	return kind != fault.Internal && kind != fault.Unavailable
}
