package ars

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// request is one logical call, which may take several attempts.
type request struct {
	method string
	// path is below the base URL, with its query.
	path         string
	header       http.Header
	body         []byte
	isRepeatable bool
	isAnonymous  bool
	settings     callSettings
}

func (r *request) op() string { return r.method + " " + r.path }

// read sends a request, with retries where they are safe, and decodes the response.
func (c *caller) read(ctx context.Context, request *request, result any) error {
	return c.retrying(ctx, request, func() error {
		attempt, cancel := context.WithTimeoutCause(ctx, request.settings.timeout, errAttemptTimeout)
		defer cancel()
		response, err := c.attempt(attempt, request)
		if err != nil {
			return err
		}
		body, err := readAll(attempt, request, response)
		if err != nil {
			return err
		}
		if request.settings.response != nil {
			*request.settings.response = response
		}
		switch target := result.(type) {
		case nil:
			return nil
		case *[]byte:
			*target = body
			return nil
		}
		if err := json.Unmarshal(body, result); err != nil {
			return &ConnectionError{request.op(), fmt.Errorf("the response is not the JSON of the service: %w", err)}
		}
		return nil
	})
}

// openResponse is a response with a streaming body.
type openResponse struct {
	*http.Response
	// cancel ends the request, also in the middle of a read.
	cancel context.CancelFunc
}

// open sends a request and returns its response with a streaming body. The timeout covers only its headers.
func (c *caller) open(ctx context.Context, request *request) (*openResponse, error) {
	var opened *openResponse
	err := c.retrying(ctx, request, func() error {
		attempt, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(request.settings.timeout, func() { cancel(errAttemptTimeout) })
		response, err := c.attempt(attempt, request)
		if !timer.Stop() && err == nil {
			// The timer fired just after the headers, and the body is already cancelled.
			_ = response.Body.Close()
			err = &ConnectionError{request.op(), errAttemptTimeout}
		}
		if err != nil {
			cancel(nil)
			return err
		}
		opened = &openResponse{response, func() { cancel(nil) }}
		return nil
	})
	return opened, err
}

func (c *caller) retrying(ctx context.Context, request *request, try func() error) error {
	for retry := 0; ; retry++ {
		err := try()
		if err == nil {
			return nil
		}
		// The error of the caller's own context, not what it caused.
		if ctx.Err() != nil {
			return fmt.Errorf("ars: %s: %w", request.op(), ctx.Err())
		}
		delay, isRetried := delayBeforeRetry(failedAttempt{
			err, retry, request.settings.maxRetries, request.isRepeatable, c.clock.random(),
		})
		if !isRetried {
			return err
		}
		if err := c.clock.sleep(ctx, delay); err != nil {
			return fmt.Errorf("ars: %s: %w", request.op(), err)
		}
	}
}

// attempt sends a request once. A response with an unsuccessful status is an error.
func (c *caller) attempt(ctx context.Context, request *request) (*http.Response, error) {
	begun := c.clock.now()
	response, err := c.send(ctx, request)
	attributes := []any{
		slog.String("method", request.method),
		slog.String("path", request.path),
		slog.Duration("duration", c.clock.now().Sub(begun)),
	}
	if err != nil {
		c.logger.DebugContext(ctx, "request failed", append(attributes, slog.Any("error", err))...)
		return nil, err
	}
	attributes = append(attributes, slog.Int("status", response.StatusCode),
		slog.String("request_id", response.Header.Get("X-Request-Id")))
	c.logger.DebugContext(ctx, "request answered", attributes...)
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return response, nil
	}
	body, err := readAll(ctx, request, response)
	if err != nil {
		return nil, err
	}
	return nil, errorOf(response, body, c.clock.now())
}

func (c *caller) send(ctx context.Context, request *request) (*http.Response, error) {
	var body io.Reader
	if request.body != nil {
		body = bytes.NewReader(request.body)
	}
	outgoing, err := http.NewRequestWithContext(ctx, request.method, c.baseURL+request.path, body)
	if err != nil {
		return nil, err
	}
	outgoing.Header.Set("Accept", "application/json")
	outgoing.Header.Set("User-Agent", c.userAgent)
	if request.body != nil {
		outgoing.Header.Set("Content-Type", "application/json")
	}
	for _, headers := range []http.Header{request.header, request.settings.headers} {
		for name, values := range headers {
			outgoing.Header[name] = values
		}
	}
	if !request.isAnonymous {
		c.authorize(outgoing.Header)
	}
	response, err := c.httpClient.Do(outgoing)
	if err != nil {
		return nil, connectionError(ctx, request, err)
	}
	return response, nil
}

func readAll(ctx context.Context, request *request, response *http.Response) ([]byte, error) {
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, connectionError(ctx, request, err)
	}
	return body, nil
}

func connectionError(ctx context.Context, request *request, err error) error {
	if errors.Is(context.Cause(ctx), errAttemptTimeout) {
		err = fmt.Errorf("%w (%s)", errAttemptTimeout, request.settings.timeout)
	}
	return &ConnectionError{request.op(), err}
}
