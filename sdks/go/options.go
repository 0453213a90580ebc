package ars

import (
	"log/slog"
	"net/http"
	"time"
)

// ClientOption configures a client.
type ClientOption interface{ applyClient(*clientSettings) }

// CallOption configures one call.
type CallOption interface{ applyCall(*callSettings) }

// Option configures a client or one call. A call overrides its client.
type Option interface {
	ClientOption
	CallOption
}

type clientSettings struct {
	apiKey     string
	isKeyless  bool
	baseURL    string
	httpClient *http.Client
	logger     *slog.Logger
	clock      clock
	shared     sharedSettings
}

type sharedSettings struct {
	maxRetries int
	timeout    time.Duration
	headers    http.Header
}

type callSettings struct {
	sharedSettings
	hasTimeout     bool
	idempotencyKey string
	wait           *time.Duration
	response       **http.Response
	lastEventID    string
	idleTimeout    time.Duration
	resumeFor      time.Duration
}

type clientOption func(*clientSettings)

func (o clientOption) applyClient(settings *clientSettings) { o(settings) }

type callOption func(*callSettings)

func (o callOption) applyCall(settings *callSettings) { o(settings) }

type sharedOption struct {
	client func(*clientSettings)
	call   func(*callSettings)
}

func (o sharedOption) applyClient(settings *clientSettings) { o.client(settings) }
func (o sharedOption) applyCall(settings *callSettings)     { o.call(settings) }

// WithAPIKey sets an API key, or a short-lived token created with one. Default: the environment variable ARS_API_KEY.
func WithAPIKey(key string) ClientOption {
	return clientOption(func(settings *clientSettings) { settings.apiKey = key })
}

// WithoutAPIKey sends no Authorization header: for a session, whose cookie is in the jar of the HTTP client.
func WithoutAPIKey() ClientOption {
	return clientOption(func(settings *clientSettings) { settings.isKeyless = true })
}

// WithBaseURL sets the address of the service, including the version. Default: the environment variable ARS_BASE_URL,
// otherwise https://localhost:8443/v2.
func WithBaseURL(url string) ClientOption {
	return clientOption(func(settings *clientSettings) { settings.baseURL = url })
}

// WithHTTPClient sets the HTTP client, for example for a proxy or a private certificate authority. The SDK uses a copy
// that does not follow redirects. Its Timeout should be 0, because it would also end streams.
func WithHTTPClient(client *http.Client) ClientOption {
	return clientOption(func(settings *clientSettings) { settings.httpClient = client })
}

// WithLogger logs every attempt at level debug: method, path, status and duration, never a payload or the key.
func WithLogger(logger *slog.Logger) ClientOption {
	return clientOption(func(settings *clientSettings) { settings.logger = logger })
}

// withClock is for tests.
func withClock(clock clock) ClientOption {
	return clientOption(func(settings *clientSettings) { settings.clock = clock })
}

// WithMaxRetries sets the maximum number of retries of a call. Default: 2.
func WithMaxRetries(count int) Option {
	return sharedOption{
		client: func(settings *clientSettings) { settings.shared.maxRetries = count },
		call:   func(settings *callSettings) { settings.maxRetries = count },
	}
}

// WithTimeout sets the time for one attempt, including its response. Default: 60 s. To bound a call with its retries,
// use the context.
func WithTimeout(timeout time.Duration) Option {
	return sharedOption{
		client: func(settings *clientSettings) { settings.shared.timeout = timeout },
		call:   func(settings *callSettings) { settings.timeout, settings.hasTimeout = timeout, true },
	}
}

// WithHeader adds a header to the requests.
func WithHeader(name, value string) Option {
	return sharedOption{
		client: func(settings *clientSettings) { settings.shared.headers.Set(name, value) },
		call:   func(settings *callSettings) { settings.headers.Set(name, value) },
	}
}

// WithIdempotencyKey sets the idempotency key of a call that accepts one: the same key with the same parameters creates
// one resource within 24 hours. By default the client generates a key for each call and its retries; set your own to be
// safe across restarts of your program.
func WithIdempotencyKey(key string) CallOption {
	return callOption(func(settings *callSettings) { settings.idempotencyKey = key })
}

// WithWait sets how long the service waits for a result, 1 to 300 seconds. Default: 55. With 0 it responds immediately.
// Unfinished runs continue.
func WithWait(wait time.Duration) CallOption {
	return callOption(func(settings *callSettings) { settings.wait = &wait })
}

// WithResponse stores the HTTP response of the call, for its status and headers. Its body is already read.
func WithResponse(response **http.Response) CallOption {
	return callOption(func(settings *callSettings) { settings.response = response })
}

// WithLastEventID starts a stream after this frame.
func WithLastEventID(id string) CallOption {
	return callOption(func(settings *callSettings) { settings.lastEventID = id })
}

// WithIdleTimeout sets the time without a byte after which a stream is resumed. Default: 45 s; heartbeats come every
// 15 s.
func WithIdleTimeout(timeout time.Duration) CallOption {
	return callOption(func(settings *callSettings) { settings.idleTimeout = timeout })
}

// WithResumeFor sets how long the client tries to resume a broken stream. Default: 5 minutes for a run, unlimited for
// events.
func WithResumeFor(duration time.Duration) CallOption {
	return callOption(func(settings *callSettings) { settings.resumeFor = duration })
}
