package ars

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// The service sends at most 11 MiB of input and output in a run, and JSON may triple that.
const maxWebhookBytes = 64 << 20

// WebhookHandler returns a handler that verifies deliveries and passes each event to receive, once per id. It responds
// with 400 if a delivery is not authentic. If receive returns an error, it responds with 500, and the service sends the
// event again. During a rotation, pass the new and the old secret.
//
// The ids are kept in memory. If your receiver has several processes, see WithReplayGuard.
func WebhookHandler(
	receive func(ctx context.Context, event *Event) error,
	secrets []string,
	options ...WebhookOption,
) http.Handler {
	settings := webhookSettings{guard: NewReplayGuard(defaultGuardSize)}
	for _, option := range options {
		option(&settings)
	}
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			response.Header().Set("Allow", http.MethodPost)
			response.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxWebhookBytes))
		if err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		event, err := VerifyWebhook(WebhookDelivery{Body: body, Header: request.Header, Secrets: secrets})
		if err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		response.WriteHeader(settings.receiveOnce(request.Context(), event, receive))
	})
}

// WebhookOption configures WebhookHandler.
type WebhookOption func(*webhookSettings)

type webhookSettings struct{ guard ReplayGuard }

// WithReplayGuard sets where the ids of processed events are kept, for example your database.
func WithReplayGuard(guard ReplayGuard) WebhookOption {
	return func(settings *webhookSettings) { settings.guard = guard }
}

func (s webhookSettings) receiveOnce(
	ctx context.Context,
	event *Event,
	receive func(ctx context.Context, event *Event) error,
) int {
	isFirst, err := s.guard.Claim(ctx, event.ID)
	if err != nil {
		return http.StatusInternalServerError
	}
	if !isFirst {
		return http.StatusNoContent
	}
	isDone := false
	defer func() {
		// Also if receive panics: the next delivery is processed.
		if !isDone {
			s.guard.Release(context.WithoutCancel(ctx), event.ID)
		}
	}()
	if err := receive(ctx, event); err != nil {
		return http.StatusInternalServerError
	}
	isDone = true
	return http.StatusNoContent
}

// ReplayGuard remembers processed deliveries. The service can send an event more than once, and an attacker can replay
// one. A receiver that claims each id first acts once.
type ReplayGuard interface {
	// Claim returns true the first time, and false for an id that is already claimed.
	Claim(ctx context.Context, id string) (bool, error)
	// Release releases an id after a failure, so that the next delivery is processed.
	Release(ctx context.Context, id string)
}

const defaultGuardSize = 10_000

// NewReplayGuard returns a guard that keeps the newest ids in memory.
func NewReplayGuard(size int) ReplayGuard {
	return &memoryGuard{size: size, seen: map[string]bool{}}
}

type memoryGuard struct {
	mutex sync.Mutex
	size  int
	seen  map[string]bool
	order []string
}

func (g *memoryGuard) Claim(_ context.Context, id string) (bool, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.seen[id] {
		return false, nil
	}
	g.seen[id] = true
	g.order = append(g.order, id)
	if len(g.order) > g.size {
		delete(g.seen, g.order[0])
		g.order = g.order[1:]
	}
	return true, nil
}

func (g *memoryGuard) Release(_ context.Context, id string) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	delete(g.seen, id)
	for n, each := range g.order {
		if each == id {
			g.order = append(g.order[:n:n], g.order[n+1:]...)
			return
		}
	}
}
