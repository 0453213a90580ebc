package main

import (
	"encoding/json"
	"time"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

type options struct {
	MaxRetries     *int              `json:"max_retries"`
	TimeoutMs      *float64          `json:"timeout_ms"`
	IdempotencyKey string            `json:"idempotency_key"`
	Wait           json.RawMessage   `json:"wait"`
	Headers        map[string]string `json:"headers"`
	IdleTimeoutMs  float64           `json:"idle_timeout_ms"`
	ResumeForMs    float64           `json:"resume_for_ms"`
	LastEventID    string            `json:"last_event_id"`
}

func (o options) shared() []ars.Option {
	var chosen []ars.Option
	if o.MaxRetries != nil {
		chosen = append(chosen, ars.WithMaxRetries(*o.MaxRetries))
	}
	if o.TimeoutMs != nil {
		chosen = append(chosen, ars.WithTimeout(milliseconds(*o.TimeoutMs)))
	}
	for name, value := range o.Headers {
		chosen = append(chosen, ars.WithHeader(name, value))
	}
	return chosen
}

func (o options) forClient() []ars.ClientOption {
	var chosen []ars.ClientOption
	for _, option := range o.shared() {
		chosen = append(chosen, option)
	}
	return chosen
}

func (o options) forCall() []ars.CallOption {
	var chosen []ars.CallOption
	for _, option := range o.shared() {
		chosen = append(chosen, option)
	}
	if o.IdempotencyKey != "" {
		chosen = append(chosen, ars.WithIdempotencyKey(o.IdempotencyKey))
	}
	if o.Wait != nil {
		var seconds float64
		// `false` leaves 0, which means no wait.
		_ = json.Unmarshal(o.Wait, &seconds)
		chosen = append(chosen, ars.WithWait(milliseconds(seconds*1000)))
	}
	if o.IdleTimeoutMs > 0 {
		chosen = append(chosen, ars.WithIdleTimeout(milliseconds(o.IdleTimeoutMs)))
	}
	if o.ResumeForMs > 0 {
		chosen = append(chosen, ars.WithResumeFor(milliseconds(o.ResumeForMs)))
	}
	if o.LastEventID != "" {
		chosen = append(chosen, ars.WithLastEventID(o.LastEventID))
	}
	return chosen
}

func milliseconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Millisecond))
}
