package ars

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"
)

const (
	defaultStreamRetry = time.Second
	// The minimum reconnect delay, whatever the stream requests.
	minStreamRetry     = 100 * time.Millisecond
	defaultIdleTimeout = 45 * time.Second
	maxResumeDelay     = 30 * time.Second
)

// Stream yields the frames of a stream, each exactly once. A broken stream is resumed. Leaving the loop ends the
// request.
type Stream[F any] struct {
	// A stream is one call that lasts, so that it keeps the context of its call.
	parent context.Context
	ctx    context.Context
	cancel context.CancelFunc
	plan   streamPlan
	at     *position
	// isComplete says that the stream came to its end.
	isComplete bool
	// watch sees every frame before the caller does.
	watch func(frameHead)

	mutex       sync.Mutex
	lastEventID string
	isClosed    bool
}

// streamPlan says how a stream begins, resumes and ends.
type streamPlan struct {
	caller   *caller
	settings callSettings
	// err is a fault of the call, which the first iteration yields.
	err error
	// begin sends the first request, with the usual retries.
	begin func(ctx context.Context) (*openResponse, error)
	// resume continues after the last received frame. One attempt; the stream retries.
	resume func(ctx context.Context, at *position) (*openResponse, error)
	// isLast reports whether no frame follows this one.
	isLast func(frameHead) bool
	// isOver is asked when a stream ended normally without a frame: whether the stream is complete.
	isOver func(ctx context.Context, at *position) (bool, error)
	// resumeFor is 0 for no limit.
	resumeFor time.Duration
}

// frameHead holds the fields of a frame that the SDK itself reads.
type frameHead struct {
	Type  string          `json:"type"`
	RunID string          `json:"run_id"`
	Step  int64           `json:"step"`
	Delta string          `json:"delta"`
	Run   json.RawMessage `json:"run"`
}

// position is how far a stream was read.
type position struct {
	lastEventID string
	runID       string
	// header is that of the first response.
	header http.Header
}

func newStream[F any](ctx context.Context, plan streamPlan) *Stream[F] {
	own, cancel := context.WithCancel(ctx)
	return &Stream[F]{parent: ctx, ctx: own, cancel: cancel, plan: plan, lastEventID: plan.settings.lastEventID}
}

// LastEventID is the id of the last received frame, from which another stream can resume.
func (s *Stream[F]) LastEventID() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.lastEventID
}

// Close ends the stream and its loop without an error. A run continues.
func (s *Stream[F]) Close() {
	s.mutex.Lock()
	s.isClosed = true
	s.mutex.Unlock()
	s.cancel()
}

// All yields the frames until the stream ends. An error ends it. A stream can be iterated once.
func (s *Stream[F]) All() iter.Seq2[F, error] {
	return func(yield func(F, error) bool) {
		if s.closed() {
			return
		}
		defer s.Close()
		isLeft := false
		err := s.follow(func(frame F) bool {
			isLeft = !yield(frame, nil)
			return !isLeft
		})
		if isLeft || s.closed() {
			return
		}
		s.isComplete = err == nil
		if err != nil {
			var none F
			yield(none, err)
		}
	}
}

func (s *Stream[F]) closed() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.isClosed
}

func (s *Stream[F]) moveTo(at *position, id string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.lastEventID, at.lastEventID = id, id
}

// follow hands every frame to take until the stream ends or take returns false.
func (s *Stream[F]) follow(take func(F) bool) error {
	if s.plan.err != nil {
		return s.plan.err
	}
	response, err := s.plan.begin(s.ctx)
	if err != nil {
		return err
	}
	at := &position{lastEventID: s.LastEventID(), header: response.Header}
	s.at = at
	retry, wasOver := defaultStreamRetry, false
	for {
		connection := newConnection(response, at.lastEventID)
		isDone, err := s.readConnection(connection, at, take)
		if isDone || err != nil {
			return err
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		// An id without data sets the position before the first event. Frames that came again do not set it back.
		if reached := connection.parser.lastEventID; !isBeforeOrAt(reached, at.lastEventID) {
			s.moveTo(at, reached)
		}
		if connection.retry > 0 {
			retry = connection.retry
		}
		if connection.endedWithoutWord() {
			if wasOver {
				return nil
			}
			if s.plan.isOver != nil {
				if wasOver, err = s.plan.isOver(s.ctx, at); err != nil {
					return err
				}
			}
		}
		if response, err = s.resume(at, retry, wasOver); err != nil {
			return err
		}
	}
}

// readConnection reads one response until it ends or breaks; neither is an error here.
func (s *Stream[F]) readConnection(connection *connection, at *position, take func(F) bool) (isDone bool, err error) {
	idle := s.plan.settings.idleTimeout
	if idle == 0 {
		idle = defaultIdleTimeout
	}
	err = connection.read(idle, func(event sseEvent) (bool, error) {
		if event.id != "" && isBeforeOrAt(event.id, at.lastEventID) {
			return true, nil
		}
		var frame F
		var head frameHead
		if err := json.Unmarshal(event.data, &frame); err != nil {
			return false, fmt.Errorf("ars: a frame of the stream is not the JSON of the service: %w", err)
		}
		// Frames of other shapes have no such fields.
		_ = json.Unmarshal(event.data, &head)
		if event.id != "" {
			s.moveTo(at, event.id)
		}
		if head.RunID != "" {
			at.runID = head.RunID
		}
		if s.watch != nil {
			s.watch(head)
		}
		isDone = !take(frame) || s.plan.isLast(head) || s.closed()
		return !isDone, nil
	})
	return isDone, err
}

// resume reconnects after the requested delay and then backs off.
func (s *Stream[F]) resume(at *position, retry time.Duration, isDueAtOnce bool) (*openResponse, error) {
	clock := s.plan.caller.clock
	since, delay := clock.now(), retry
	if isDueAtOnce {
		delay = 0
	}
	for failures := 1; ; failures++ {
		if err := clock.sleep(s.ctx, delay); err != nil {
			return nil, err
		}
		response, err := s.plan.resume(s.ctx, at)
		if err == nil {
			return response, nil
		}
		isLate := s.plan.resumeFor > 0 && clock.now().Sub(since) >= s.plan.resumeFor
		if s.ctx.Err() != nil || !isPassing(err) || isLate {
			return nil, err
		}
		delay = delayAfter(err, retry<<min(failures, 10), clock.random())
	}
}

func delayAfter(err error, backOff time.Duration, random float64) time.Duration {
	if requested := requestedDelay(err); requested != nil {
		return min(*requested, maxRetryAfter)
	}
	return time.Duration(float64(min(backOff, maxResumeDelay)) * (0.5 + random/2))
}

var allDigits = regexp.MustCompile(`^\d{1,18}$`)

// isBeforeOrAt finds duplicates. Frames of a run are numbered. Event ids have no order, so only an identical id counts.
func isBeforeOrAt(id, last string) bool {
	if id == last {
		return true
	}
	if !allDigits.MatchString(id) || !allDigits.MatchString(last) {
		return false
	}
	number, _ := strconv.ParseInt(id, 10, 64)
	lastNumber, _ := strconv.ParseInt(last, 10, 64)
	return number <= lastNumber
}
