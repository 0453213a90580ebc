package ars

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

func frameText(id int, frameType, more string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: {\"type\":%q,\"run_id\":\"run_1\"%s}\n\n", id, frameType, frameType, more)
}

var runFrames = []string{
	frameText(1, "run.created", ""),
	frameText(2, "run.output.delta", `,"step":1,"delta":"wrong"`),
	frameText(3, "run.output.reset", `,"step":1`),
	frameText(4, "run.output.delta", `,"step":1,"delta":"Ünï 🚀"`),
	frameText(5, "run.output.delta", `,"step":2,"delta":" two"`),
	frameText(6, "run.completed", `,"run":{"id":"run_1","status":"completed","output":{"result":"Ünï 🚀 two"}}`),
}

func beginStream(response http.ResponseWriter, text string) {
	response.Header().Set("Content-Type", "text/event-stream")
	response.Header().Set("X-Run-Id", "run_1")
	_, _ = response.Write([]byte("retry: 1200\n\n" + text))
	response.(http.Flusher).Flush()
}

// framesAfter are the frames after the one that the request names.
func framesAfter(request seenRequest) string {
	last, _ := strconv.Atoi(request.header.Get("Last-Event-ID"))
	return strings.Join(runFrames[last:], "")
}

func TestAStreamThatBreaksAfterAnyByteYieldsEachFrameOnce(t *testing.T) {
	whole := strings.Join(runFrames, "")
	cut := 0
	service := startService(t, func(response http.ResponseWriter, request seenRequest, _ int) {
		if request.method == http.MethodGet {
			beginStream(response, framesAfter(request))
			return
		}
		beginStream(response, whole[:cut])
		dropConnection(response)
	})
	for cut = range len(whole) {
		stream := service.client.Runs.Stream(t.Context(), CreateRun{AgentID: "ag_1"})
		frames := 0
		for _, err := range stream.All() {
			if err != nil {
				t.Fatal(cut, err)
			}
			frames++
		}
		equal(t, frames, len(runFrames))
		equal(t, stream.LastEventID(), "6")
		text, err := stream.Text()
		equal(t, text, "Ünï 🚀 two")
		equal(t, err, nil)
	}
	last := service.requests()[len(service.requests())-1]
	equal(t, last.url, "/v2/runs/run_1/stream")
	equal(t, last.header.Get("Idempotency-Key"), "")
}

func TestAStreamResumesWithBackOff(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, request seenRequest, n int) {
		switch n {
		case 1:
			beginStream(response, runFrames[0])
		case 2:
			dropConnection(response)
		case 3:
			response.Header().Set("Retry-After", "4")
			answerJSON(response, http.StatusServiceUnavailable, refusal("unavailable"))
		case 4:
			answerJSON(response, http.StatusBadGateway, nil)
		default:
			beginStream(response, framesAfter(request))
		}
	})
	run, err := service.client.Runs.Watch(t.Context(), "run_1", nil).FinalRun()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, run.Status, RunStatusCompleted)
	equal(t, fmt.Sprint(service.clock.waits), "[1.2s 1.8s 4s 7.2s]")
}

func TestAStreamGivesUpWithTheLastFailure(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, n int) {
		if n == 1 {
			beginStream(response, runFrames[0])
			return
		}
		answerJSON(response, http.StatusServiceUnavailable, refusal("unavailable"))
	})
	_, err := service.client.Runs.Watch(t.Context(), "run_1", nil, WithResumeFor(time.Minute)).FinalRun()
	var refused *Error
	equal(t, errors.As(err, &refused) && refused.StatusCode == http.StatusServiceUnavailable, true)
}

func TestASilentStreamIsResumed(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, request seenRequest, n int) {
		if n > 1 {
			beginStream(response, framesAfter(request))
			return
		}
		beginStream(response, runFrames[0])
		time.Sleep(300 * time.Millisecond)
	})
	_, err := service.client.Runs.Watch(t.Context(), "run_1", nil, WithIdleTimeout(30*time.Millisecond)).FinalRun()
	equal(t, err, nil)
	equal(t, service.requests()[1].header.Get("Last-Event-ID"), "1")
}

func TestAStreamAfterTheLastFrameEndsWithTheRun(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, request seenRequest, _ int) {
		if request.url == "/v2/runs/run_1" {
			answerJSON(response, http.StatusOK, map[string]any{"id": "run_1", "status": "completed", "output": map[string]any{"result": "x"}})
			return
		}
		beginStream(response, "")
	})
	text, err := service.client.Runs.Watch(t.Context(), "run_1", nil, WithLastEventID("6")).Text()
	equal(t, text, "x")
	equal(t, err, nil)
}

func TestALoopThatIsLeftEndsTheRequest(t *testing.T) {
	ended := make(chan struct{})
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		beginStream(response, runFrames[0])
		// Writes fail as soon as the client has gone.
		for n := 0; n < 1000; n++ {
			if _, err := response.Write([]byte(": beat\n\n")); err != nil {
				break
			}
			response.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
		close(ended)
	})
	stream := service.client.Runs.Watch(t.Context(), "run_1", nil)
	for range stream.All() {
		break
	}
	<-ended
	_, err := stream.FinalRun()
	equal(t, err, errNoFinalFrame)
}

func TestTheContextEndsAStreamWithAnErrorAndCloseWithoutOne(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		beginStream(response, runFrames[0])
		time.Sleep(100 * time.Millisecond)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range service.client.Runs.Watch(ctx, "run_1", nil).All() {
		last = err
		cancel()
	}
	equal(t, errors.Is(last, context.Canceled), true)
	stream := service.client.Runs.Watch(t.Context(), "run_1", nil)
	for _, err := range stream.All() {
		equal(t, err, nil)
		stream.Close()
	}
}

func TestAStreamOfEventsThatBeganNowResumesAtThatTime(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, n int) {
		if n == 1 {
			response.Header().Set("Date", "Tue, 01 Jan 2030 00:00:00 GMT")
			dropAfterHeaders(response)
			return
		}
		_, _ = response.Write([]byte("id: evt_1\ndata: {\"id\":\"evt_1\",\"type\":\"test\"}\n\n"))
	})
	for event, err := range service.client.Events.Watch(t.Context(), nil).All() {
		if err != nil {
			t.Fatal(err)
		}
		equal(t, event.ID, "evt_1")
		break
	}
	equal(t, service.requests()[1].url, "/v2/events/stream?since=2030-01-01T00%3A00%3A00.000Z")
}

func TestAStreamOfAPipelineRunBeginsAnewAfterABreakAndEndsWithIt(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, n int) {
		if n == 1 {
			dropAfterHeaders(response)
			return
		}
		_, _ = response.Write([]byte("id: 1\ndata: {\"type\":\"pipeline_run.snapshot\"}\n\n"))
		_, _ = response.Write([]byte("id: 2\ndata: {\"type\":\"pipeline_run.completed\"}\n\n"))
	})
	types := []string{}
	for frame, err := range service.client.PipelineRuns.Watch(t.Context(), "plr_1").All() {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, frame.Type)
	}
	equal(t, strings.Join(types, " "), "pipeline_run.snapshot pipeline_run.completed")
	equal(t, service.requests()[1].url, "/v2/pipeline-runs/plr_1/stream")
}

func dropAfterHeaders(response http.ResponseWriter) {
	response.WriteHeader(http.StatusOK)
	response.(http.Flusher).Flush()
	dropConnection(response)
}
