package ars

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
)

func TestAnyRequestIsSentAsTheMethodsSendTheirs(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, n int) {
		if n == 1 {
			answerJSON(response, http.StatusServiceUnavailable, refusal("unavailable"))
			return
		}
		response.Header().Set("X-Request-Id", "req_2")
		answerJSON(response, http.StatusOK, map[string]any{"id": "ag_1"})
	})
	var agent struct{ ID string }
	request := Request{Method: http.MethodPatch, Path: "/agents/ag_1?a=b", Query: url.Values{"limit": {"2"}}, Body: map[string]any{"name": "<b>"}}
	response, err := service.client.Do(t.Context(), request, &agent, WithHeader("X-Trace", "a"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, agent.ID, "ag_1")
	equal(t, response.Header.Get("X-Request-Id"), "req_2")
	for _, seen := range service.requests() {
		equal(t, seen.method+" "+seen.url+" "+seen.body, `PATCH /v2/agents/ag_1?a=b&limit=2 {"name":"<b>"}`)
		equal(t, seen.header.Get("Authorization")+seen.header.Get("X-Trace"), "Bearer ars_test_keya")
	}
	equal(t, len(service.requests()), 2)

	var body []byte
	if _, err := service.client.Do(t.Context(), Request{Method: http.MethodGet, Path: "/agents"}, &body); err != nil {
		t.Fatal(err)
	}
	equal(t, string(body), `{"id":"ag_1"}`+"\n")
	if _, err := service.client.Do(t.Context(), Request{Method: http.MethodDelete, Path: "/agents"}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = service.client.Do(t.Context(), Request{Method: http.MethodGet, Path: "agents"}, nil)
	equal(t, err.Error(), "ars: the path must begin with /")
}

func TestAnyPostIsRetriedOnlyWithAnIdempotencyKey(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, _ seenRequest, _ int) {
		answerJSON(response, http.StatusServiceUnavailable, refusal("unavailable"))
	})
	post := Request{Method: http.MethodPost, Path: "/runs", Body: map[string]any{}}
	_, err := service.client.Do(t.Context(), post, nil)
	var refused *Error
	equal(t, errors.As(err, &refused) && refused.Code == "unavailable", true)
	equal(t, len(service.requests()), 1)
	_, err = service.client.Do(t.Context(), post, nil, WithIdempotencyKey("order-1"), WithWait(0))
	equal(t, err == nil, false)
	requests := service.requests()
	equal(t, len(requests), 4)
	equal(t, requests[3].header.Get("Idempotency-Key")+requests[3].header.Get("Prefer"), "order-1respond-async")
}
