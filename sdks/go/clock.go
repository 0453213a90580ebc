package ars

import (
	"context"
	"math/rand/v2"
	"time"
)

// clock is time and randomness, so that a test can control both.
type clock interface {
	now() time.Time
	// random returns a number from 0 to below 1.
	random() float64
	// sleep ends early with the error of the context.
	sleep(ctx context.Context, delay time.Duration) error
}

type systemClock struct{}

func (systemClock) now() time.Time  { return time.Now() }
func (systemClock) random() float64 { return rand.Float64() }

func (systemClock) sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}
