package ars

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const runResumeFor = 5 * time.Minute

func isLastRunFrame(frameType string) bool {
	return frameType == "run.completed" || frameType == "run.failed" || frameType == "run.cancelled"
}

func isLastPipelineRunFrame(frameType string) bool {
	kind, end, _ := strings.Cut(frameType, ".")
	return kind == "pipeline_run" && isEndedStatus(end)
}

func isEndedStatus(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// openStream calls an operation whose response is a stream of events or of a pipeline run. The stream of events does not
// end. Nothing is sent before the first iteration.
func openStream[F any](ctx context.Context, caller *caller, call invocation) *Stream[F] {
	plan := planOf(caller, call)
	plan.isLast = func(head frameHead) bool { return isLastPipelineRunFrame(head.Type) }
	plan.resumeFor = plan.settings.resumeFor
	return newStream[F](ctx, plan)
}

// openRunStream calls an operation whose response is a stream of the frames of a run.
func openRunStream(ctx context.Context, caller *caller, call invocation) *RunStream {
	plan := planOf(caller, call)
	plan.isLast = func(head frameHead) bool { return isLastRunFrame(head.Type) }
	plan.resumeFor = plan.settings.resumeFor
	if plan.resumeFor == 0 {
		plan.resumeFor = runResumeFor
	}
	getRun := func(ctx context.Context, at *position) (json.RawMessage, error) {
		return caller.getRun(ctx, call, at, plan.settings)
	}
	plan.isOver = func(ctx context.Context, at *position) (bool, error) {
		run, err := getRun(ctx, at)
		if err != nil {
			if isPassing(err) {
				return false, nil
			}
			return false, err
		}
		var state struct {
			Status string `json:"status"`
		}
		_ = json.Unmarshal(run, &state)
		return isEndedStatus(state.Status), nil
	}
	stream := newRunStream(newStream[RunFrame](ctx, plan), getRun)
	stream.hasGap = call.query.Get("deltas") == "false"
	return stream
}

func planOf(caller *caller, call invocation) streamPlan {
	request, err := caller.prepare(call)
	if err != nil {
		return streamPlan{caller: caller, err: err}
	}
	request.header.Set("Accept", "text/event-stream")
	return streamPlan{
		caller:   caller,
		settings: request.settings,
		begin: func(ctx context.Context) (*openResponse, error) {
			begin := *request
			begin.header = request.header.Clone()
			setLastEventID(begin.header, request.settings.lastEventID)
			return caller.open(ctx, &begin)
		},
		resume: func(ctx context.Context, at *position) (*openResponse, error) {
			return caller.open(ctx, resumption(call, request, at))
		},
	}
}

func setLastEventID(header http.Header, id string) {
	if id != "" {
		header.Set("Last-Event-ID", id)
	}
}

// resumption is the request that continues a stream.
func resumption(call invocation, begun *request, at *position) *request {
	next := *begun
	next.settings.maxRetries = 0
	next.header = begun.header.Clone()
	setLastEventID(next.header, at.lastEventID)
	runID := runIDOf(at)
	if begun.method == http.MethodPost && (call.operation.resumesAt == "" || runID == "") {
		// The run id is unknown, but the same idempotency key finds the run.
		return &next
	}
	next.isRepeatable = true
	if call.operation.resumesAt != "" {
		next.method, next.body = http.MethodGet, nil
		next.header.Del("Idempotency-Key")
		// The id comes from the service, so that the path is valid.
		next.path, _ = pathOf(call.operation.resumesAt, []string{runID})
		return &next
	}
	path, _, _ := strings.Cut(begun.path, "?")
	next.path = path + queryText(resumedQuery(call, at))
	return &next
}

// resumedQuery drops the requested start when the last event id is newer. A stream of events that started "now" and broke
// before its first frame resumes at that time, by the clock of the service. The stream of one thing begins with all of it.
func resumedQuery(call invocation, at *position) url.Values {
	query := call.query
	result := url.Values{}
	for name, values := range query {
		if at.lastEventID == "" || (name != "after" && name != "since") {
			result[name] = values
		}
	}
	if at.lastEventID == "" && len(call.ids) == 0 && !query.Has("after") && !query.Has("since") {
		if date, err := http.ParseTime(at.header.Get("Date")); err == nil {
			result.Set("since", date.UTC().Format("2006-01-02T15:04:05.000Z"))
		}
	}
	return result
}

func runIDOf(at *position) string {
	if at.runID != "" {
		return at.runID
	}
	return at.header.Get("X-Run-Id")
}

// getRun reads the run of a stream. It returns nil if the id of the run is unknown.
func (c *caller) getRun(ctx context.Context, call invocation, at *position, settings callSettings) (json.RawMessage, error) {
	id, path := runIDOf(at), call.operation.resumesAt
	if path == "" {
		id, path = call.ids[0], call.operation.path
	}
	if id == "" {
		return nil, nil
	}
	path, err := pathOf(strings.TrimSuffix(path, "/stream"), []string{id})
	if err != nil {
		return nil, err
	}
	var run json.RawMessage
	settings.response = nil
	err = c.read(ctx, &request{method: http.MethodGet, path: path, isRepeatable: true, settings: settings}, &run)
	return run, err
}
