package ars

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetriesUseOneIdempotencyKeyAndBackOff(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, n int) {
		if n <= 3 {
			answerJSON(response, http.StatusServiceUnavailable, refusal("unavailable"))
			return
		}
		answerJSON(response, http.StatusOK, map[string]any{"id": "run_1", "status": "completed"})
	}, WithMaxRetries(3))
	run, err := service.client.Runs.Create(t.Context(), CreateRun{AgentID: "ag_1", Input: map[string]any{"q": "<b>"}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, run.Status, RunStatusCompleted)
	requests := service.requests()
	equal(t, len(requests), 4)
	for _, request := range requests {
		equal(t, request.header.Get("Idempotency-Key"), requests[0].header.Get("Idempotency-Key"))
		equal(t, request.body, `{"agent_id":"ag_1","input":{"q":"<b>"}}`)
	}
	equal(t, fmt.Sprint(service.clock.waits), "[250ms 500ms 1s]")
}

func TestTheRequestedDelayIsWaitedForUnlessItIsLong(t *testing.T) {
	for _, example := range []struct {
		retryAfter string
		waits      string
		requests   int
	}{
		{"7", "[7s]", 2},
		{"0", "[0s]", 2},
		{"Tue, 01 Jan 2030 00:00:09 GMT", "[9s]", 2},
		{"Mon, 31 Dec 2029 23:00:00 GMT", "[0s]", 2},
		{"61", "[]", 1},
		{"soon", "[250ms]", 2},
	} {
		service := startService(t, func(response http.ResponseWriter, _ seenRequest, n int) {
			if n == 1 {
				response.Header().Set("Retry-After", example.retryAfter)
				answerJSON(response, http.StatusTooManyRequests, refusal("rate_limited"))
				return
			}
			answerJSON(response, http.StatusOK, map[string]any{"id": "run_1"})
		})
		_, err := service.client.Runs.Get(t.Context(), "run_1")
		equal(t, err == nil, example.requests == 2)
		equal(t, fmt.Sprint(service.clock.waits), example.waits)
		equal(t, len(service.requests()), example.requests)
	}
}

func TestACallThatIsNotIdempotentIsRetriedOnlyIfItWasNotProcessed(t *testing.T) {
	for status, requests := range map[int]int{500: 1, 503: 1, 408: 3, 429: 3} {
		service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
			answerJSON(response, status, refusal("failed"))
		})
		call := invocation{operation: operation{method: http.MethodPost, path: "/runs"}}
		_, err := record[Run](t.Context(), service.client.caller, call)
		var refused *Error
		equal(t, errors.As(err, &refused) && refused.StatusCode == status, true)
		equal(t, len(service.requests()), requests)
	}
}

func TestAnErrorNamesStatusCodeAndRequest(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		answerJSON(response, http.StatusUnprocessableEntity, refusal("agent_archived"))
	})
	_, err := service.client.Runs.Get(t.Context(), "run_1")
	equal(t, err.Error(), "It failed. (status 422, code agent_archived, request req_1)")
}

func TestAnAttemptThatTakesTooLongIsATimeout(t *testing.T) {
	service := startService(t, func(_ http.ResponseWriter, _ seenRequest, _ int) { time.Sleep(200 * time.Millisecond) })
	_, err := service.client.Runs.Get(t.Context(), "run_1", WithTimeout(20*time.Millisecond), WithMaxRetries(0))
	var broken *ConnectionError
	equal(t, errors.As(err, &broken) && broken.Timeout(), true)
}

func TestTheContextEndsACallWithItsOwnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	service := startService(t, func(_ http.ResponseWriter, _ seenRequest, _ int) { cancel() })
	_, err := service.client.Runs.Get(ctx, "run_1")
	equal(t, errors.Is(err, context.Canceled), true)
	equal(t, len(service.requests()), 1)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		response.Header().Set("Location", "/elsewhere")
		response.WriteHeader(http.StatusTemporaryRedirect)
	})
	_, err := service.client.Runs.Get(t.Context(), "run_1")
	var refused *Error
	equal(t, errors.As(err, &refused) && refused.Code == "http_307", true)
	equal(t, len(service.requests()), 1)
}

func TestAnIDCannotLeadToAnotherOperation(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		answerJSON(response, http.StatusOK, map[string]any{})
	})
	for _, id := range []string{"", ".", ".."} {
		if _, err := service.client.Runs.Get(t.Context(), id); err == nil {
			t.Errorf("%q was sent", id)
		}
	}
	if _, err := service.client.Runs.Get(t.Context(), "a/b?c"); err != nil {
		t.Fatal(err)
	}
	equal(t, service.requests()[0].url, "/v2/runs/a%2Fb%3Fc")
}

func TestWaitIsSentAsAPreferenceAndExtendsTheTimeout(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		answerJSON(response, http.StatusOK, map[string]any{})
	})
	for wait, preference := range map[time.Duration]string{2 * time.Minute: "wait=120", 0: "respond-async"} {
		var response *http.Response
		_, err := service.client.Runs.Create(t.Context(), CreateRun{}, WithWait(wait), WithResponse(&response))
		if err != nil {
			t.Fatal(err)
		}
		requests := service.requests()
		equal(t, requests[len(requests)-1].header.Get("Prefer"), preference)
		equal(t, response.StatusCode, http.StatusOK)
	}
	settings := callSettings{wait: Ptr(2 * time.Minute)}
	settings.timeout = time.Minute
	equal(t, timeoutOf(operation{canWait: true}, settings), 135*time.Second)
}

func TestPrintingAClientDoesNotShowTheKey(t *testing.T) {
	client, err := NewClient(WithAPIKey("ars_live_secret"), WithBaseURL("https://agents.example.com/v2/"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, client.BaseURL(), "https://agents.example.com/v2")
	for _, text := range []string{fmt.Sprintf("%+v", client), fmt.Sprintf("%#v", *client.caller)} {
		equal(t, strings.Contains(text, "secret"), false)
	}
}

func TestAnUnsafeClientIsRefusedWithoutQuotingTheKey(t *testing.T) {
	t.Setenv("ARS_API_KEY", "")
	for name, options := range map[string][]ClientOption{
		"missing":     {WithBaseURL("https://example.com/v2")},
		"invalid":     {WithAPIKey("secret\n")},
		"https":       {WithAPIKey("secret"), WithBaseURL("http://example.com/v2")},
		"absolute":    {WithAPIKey("secret"), WithBaseURL("example.com/v2")},
		"credentials": {WithAPIKey("secret"), WithBaseURL("https://user:secret@example.com/v2")},
	} {
		_, err := NewClient(options...)
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
