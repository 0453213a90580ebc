package ars

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Error is a response of the service with an unsuccessful status. Find it with errors.As:
//
//	var refused *ars.Error
//	if errors.As(err, &refused) && refused.Code == "agent_archived" { … }
type Error struct {
	// StatusCode is the HTTP status.
	StatusCode int
	// Code identifies the error, for programs. New codes can be added.
	Code string
	// Type is the class of the error, such as "rate_limit_error".
	Type string
	// Message is for people.
	Message string
	// Reason says why the service is "unavailable". It is empty for every other code, and from an older service.
	Reason string
	// Param is the path of the invalid field, if one is invalid.
	Param string
	// Details lists every error that was found in the request.
	Details []ErrorDetail
	// RequestID identifies the request in the logs of the service. Quote it to the operator.
	RequestID string
	// DocURL is the description of the code.
	DocURL string
	// RetryAfter is the delay that the service requested, and nil if it requested none.
	RetryAfter *time.Duration
}

// ErrorDetail is one of the errors in a request.
type ErrorDetail struct {
	// Param is the path of the invalid field, if it concerns one.
	Param string `json:"param"`
	// Message is for people.
	Message string `json:"message"`

	raw json.RawMessage
}

// UnmarshalJSON reads the object and keeps it for RawJSON.
func (d *ErrorDetail) UnmarshalJSON(data []byte) error {
	type plain ErrorDetail
	return unmarshalKeeping(data, (*plain)(d), &d.raw)
}

// RawJSON returns the object as the service sent it.
func (d *ErrorDetail) RawJSON() json.RawMessage { return d.raw }

// Error returns the message with the status, the code and the request id.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s (status %d, code %s", e.Message, e.StatusCode, e.Code)
	if e.RequestID != "" {
		text += ", request " + e.RequestID
	}
	return text + ")"
}

// ConnectionError means that there is no response: the service is unreachable, the connection broke, or the time for
// the attempt is over. Unwrap returns the cause.
type ConnectionError struct {
	// Op is the method and the path of the request.
	Op string
	// Err is the cause.
	Err error
}

// Error returns the request and the cause.
func (e *ConnectionError) Error() string {
	return "the connection failed: " + e.Op + ": " + reasonOf(e.Err)
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// Timeout reports whether the time for the attempt is over.
func (e *ConnectionError) Timeout() bool { return errors.Is(e.Err, errAttemptTimeout) }

var errAttemptTimeout = errors.New("no response within the timeout of the attempt")

// reasonOf adds advice for a certificate that is not trusted.
func reasonOf(err error) string {
	if strings.Contains(err.Error(), "x509: certificate signed by unknown authority") {
		return err.Error() + ". Set SSL_CERT_FILE to the certificate of the service, or use WithHTTPClient"
	}
	return err.Error()
}

// errorOf makes an Error from an unsuccessful response. A proxy may have sent it, so every field is optional.
func errorOf(response *http.Response, body []byte, now time.Time) *Error {
	var sent struct {
		Error struct {
			Type      string        `json:"type"`
			Code      string        `json:"code"`
			Message   string        `json:"message"`
			Reason    string        `json:"reason"`
			Param     string        `json:"param"`
			RequestID string        `json:"request_id"`
			DocURL    string        `json:"doc_url"`
			Details   []ErrorDetail `json:"details"`
		} `json:"error"`
	}
	// A body that is not ours leaves the fields empty.
	_ = json.Unmarshal(body, &sent)
	status := response.StatusCode
	result := &Error{
		StatusCode: status,
		Code:       sent.Error.Code,
		Type:       sent.Error.Type,
		Message:    sent.Error.Message,
		Reason:     sent.Error.Reason,
		Param:      sent.Error.Param,
		Details:    sent.Error.Details,
		RequestID:  sent.Error.RequestID,
		DocURL:     sent.Error.DocURL,
		RetryAfter: retryAfterOf(response.Header.Get("Retry-After"), now),
	}
	if result.Code == "" {
		result.Code = fmt.Sprintf("http_%d", status)
	}
	if result.Type == "" {
		result.Type = "invalid_request_error"
		if status >= 500 {
			result.Type = "api_error"
		}
	}
	if result.Message == "" {
		result.Message = fmt.Sprintf("The response has status %d and no error body.", status)
	}
	if result.RequestID == "" {
		result.RequestID = response.Header.Get("X-Request-Id")
	}
	return result
}

var upToNineDigits = regexp.MustCompile(`^\d{1,9}$`)

// retryAfterOf reads seconds or, from proxies, a date.
func retryAfterOf(header string, now time.Time) *time.Duration {
	if upToNineDigits.MatchString(header) {
		seconds, _ := strconv.Atoi(header)
		return Ptr(time.Duration(seconds) * time.Second)
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return nil
	}
	return Ptr(max(0, date.Sub(now)))
}
