package ars

import (
	"errors"
	"time"
)

const (
	firstRetryDelay = 500 * time.Millisecond
	maxRetryDelay   = 8 * time.Second
	// A quota may require weeks. The caller decides about waits of more than a minute.
	maxRetryAfter = time.Minute
)

// isPassing reports whether a retry of the same call may succeed.
func isPassing(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		switch refused.StatusCode {
		case 408, 429, 500, 502, 503, 504:
			return true
		}
		return false
	}
	var broken *ConnectionError
	return errors.As(err, &broken)
}

// isUntouched reports whether the service rejected the call before any processing, so that a retry is safe.
func isUntouched(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && (refused.StatusCode == 408 || refused.StatusCode == 429)
}

type failedAttempt struct {
	err error
	// retry is 0 for the first.
	retry        int
	maxRetries   int
	isRepeatable bool
	random       float64
}

// delayBeforeRetry returns false if there is no further attempt. Calls that are not idempotent are retried only if the
// service did not process them.
func delayBeforeRetry(failed failedAttempt) (time.Duration, bool) {
	if failed.retry >= failed.maxRetries || !isPassing(failed.err) {
		return 0, false
	}
	if !failed.isRepeatable && !isUntouched(failed.err) {
		return 0, false
	}
	if requested := requestedDelay(failed.err); requested != nil {
		return *requested, *requested <= maxRetryAfter
	}
	limit := min(firstRetryDelay<<min(failed.retry, 10), maxRetryDelay)
	return time.Duration(failed.random * float64(limit)), true
}

func requestedDelay(err error) *time.Duration {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return nil
}
