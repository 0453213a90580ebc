package ars

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// seenRequest is a request as the fake service received it.
type seenRequest struct {
	method string
	url    string
	header http.Header
	body   string
}

// fakeService plays the service: the outside world of this package.
type fakeService struct {
	client *Client
	clock  *fakeClock

	mutex sync.Mutex
	seen  []seenRequest
}

func (s *fakeService) requests() []seenRequest {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]seenRequest(nil), s.seen...)
}

// startService answers the nth request, from 1, with the handler.
func startService(
	t *testing.T,
	handler func(response http.ResponseWriter, request seenRequest, n int),
	options ...ClientOption,
) *fakeService {
	t.Helper()
	service := &fakeService{clock: &fakeClock{at: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}}
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		seen := seenRequest{request.Method, request.URL.RequestURI(), request.Header, string(body)}
		service.mutex.Lock()
		service.seen = append(service.seen, seen)
		n := len(service.seen)
		service.mutex.Unlock()
		handler(response, seen, n)
	}))
	t.Cleanup(server.Close)
	// net/http repeats an idempotent request if a connection of an earlier request has closed.
	server.Client().Transport.(*http.Transport).DisableKeepAlives = true
	settings := append([]ClientOption{
		WithAPIKey("ars_test_key"),
		WithBaseURL(server.URL + "/v2"),
		WithHTTPClient(server.Client()),
		withClock(service.clock),
	}, options...)
	client, err := NewClient(settings...)
	if err != nil {
		t.Fatal(err)
	}
	service.client = client
	return service
}

func answerJSON(response http.ResponseWriter, status int, body any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	_ = json.NewEncoder(response).Encode(body)
}

func refusal(code string) map[string]any {
	return map[string]any{"error": map[string]any{"type": "api_error", "code": code, "message": "It failed.", "request_id": "req_1"}}
}

// dropConnection breaks the connection without a further byte.
func dropConnection(response http.ResponseWriter) {
	connection, _, err := response.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_ = connection.Close()
}

// fakeClock records every sleep and moves by it.
type fakeClock struct {
	mutex sync.Mutex
	at    time.Time
	waits []time.Duration
}

func (c *fakeClock) now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.at
}

func (c *fakeClock) random() float64 { return 0.5 }

func (c *fakeClock) sleep(ctx context.Context, delay time.Duration) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.waits = append(c.waits, delay)
	c.at = c.at.Add(delay)
	return ctx.Err()
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func equalJSON(t *testing.T, got any, want string) {
	t.Helper()
	encoded, err := encodeJSON(got)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(encoded), want)
}
