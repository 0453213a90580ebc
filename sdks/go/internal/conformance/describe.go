package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

// describe writes an error in the words of the server.
func describe(ctx context.Context, err error) map[string]any {
	var refused *ars.Error
	var broken *ars.ConnectionError
	var unverified *ars.WebhookError
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return map[string]any{"kind": "cancelled", "message": err.Error()}
	case errors.As(err, &refused):
		return describeRefusal(refused)
	case errors.As(err, &broken) && broken.Timeout():
		return map[string]any{"kind": "timeout", "message": err.Error()}
	case errors.As(err, &broken):
		return map[string]any{"kind": "connection", "message": err.Error()}
	case errors.As(err, &unverified):
		return map[string]any{"kind": "webhook", "reason": unverified.Reason, "message": err.Error()}
	}
	return map[string]any{"kind": "argument", "message": err.Error()}
}

func describeRefusal(refused *ars.Error) map[string]any {
	details := make([]json.RawMessage, len(refused.Details))
	for n := range refused.Details {
		details[n] = refused.Details[n].RawJSON()
	}
	seen := map[string]any{
		"kind":       kindOf(refused.StatusCode),
		"status":     refused.StatusCode,
		"code":       refused.Code,
		"type":       refused.Type,
		"details":    details,
		"message":    refused.Error(),
		"param":      orNull(refused.Param),
		"request_id": orNull(refused.RequestID),
		"doc_url":    orNull(refused.DocURL),
	}
	if refused.RetryAfter != nil {
		seen["retry_after_ms"] = refused.RetryAfter.Milliseconds()
	}
	return seen
}

func kindOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication"
	case status == http.StatusForbidden:
		return "permission"
	case status == http.StatusNotFound:
		return "not_found"
	case status == http.StatusTooManyRequests:
		return "rate_limit"
	case status >= 400 && status < 500:
		return "invalid_request"
	}
	return "api"
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
