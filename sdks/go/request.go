package ars

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Request is a request that no method covers.
type Request struct {
	// Method is the HTTP method, such as http.MethodGet.
	Method string
	// Path is below the base URL, such as "/agents".
	Path string
	// Query is added to the path.
	Query url.Values
	// Body is sent as JSON, unless it is nil.
	Body any
}

// Do sends a request that no method covers, with the credential, the retries and the errors of all calls. It decodes
// the JSON of the response into result; a *[]byte receives the body unchanged, and nil discards it. The body of the
// returned response is already read. A POST is retried as freely as other methods if it has WithIdempotencyKey.
func (c *Client) Do(ctx context.Context, request Request, result any, options ...CallOption) (*http.Response, error) {
	if !strings.HasPrefix(request.Path, "/") {
		return nil, errors.New("ars: the path must begin with /")
	}
	separator := ""
	if len(request.Query) > 0 {
		separator = "?"
		if strings.Contains(request.Path, "?") {
			separator = "&"
		}
	}
	prepared, err := c.caller.prepare(invocation{
		operation: operation{method: request.Method, path: request.Path + separator + request.Query.Encode()},
		body:      request.Body,
		options:   options,
	})
	if err != nil {
		return nil, err
	}
	if key := prepared.settings.idempotencyKey; key != "" {
		prepared.header.Set("Idempotency-Key", key)
		prepared.isRepeatable = true
	}
	if wait := prepared.settings.wait; wait != nil {
		prepared.header.Set("Prefer", preference(*wait))
	}
	var response *http.Response
	prepared.settings.response = &response
	if err := c.caller.read(ctx, prepared, result); err != nil {
		return nil, err
	}
	return response, nil
}
