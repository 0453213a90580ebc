package ars

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func deliver(handler http.Handler, body string, change func(http.Header)) int {
	header := SignWebhook(testSecret, "evt_1", time.Now(), []byte(body))
	change(header)
	request := httptest.NewRequest(http.MethodPost, "/", bytes.NewBufferString(body))
	request.Header = header
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response.Code
}

func TestTheExampleOfTheStandardIsSignedAlike(t *testing.T) {
	header := SignWebhook(testSecret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	equal(t, header.Get("Webhook-Signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
}

func TestAHandlerReceivesEachEventOnce(t *testing.T) {
	received := 0
	failure := errors.New("the database is down")
	handler := WebhookHandler(func(_ context.Context, event *Event) error {
		received++
		equal(t, event.Type, EventType("test"))
		return failure
	}, []string{"whsec_other", testSecret})
	body := `{"id":"evt_1","type":"test","data":{}}`
	unchanged := func(http.Header) {}
	equal(t, deliver(handler, body, unchanged), http.StatusInternalServerError)
	failure = nil
	equal(t, deliver(handler, body, unchanged), http.StatusNoContent)
	equal(t, deliver(handler, body, unchanged), http.StatusNoContent)
	equal(t, received, 2)
}

func TestAHandlerRefusesWhatIsNotAuthentic(t *testing.T) {
	handler := WebhookHandler(func(context.Context, *Event) error {
		t.Error("received")
		return nil
	}, []string{testSecret})
	body := `{"id":"evt_1","type":"test","data":{}}`
	for name, value := range map[string]string{
		"Webhook-Signature":   "v1,AAAA",
		"Webhook-Timestamp":   "1",
		"Webhook-Id":          "evt_2",
		"X-Service-Signature": "00",
	} {
		code := deliver(handler, body, func(header http.Header) { header.Set(name, value) })
		equal(t, code, http.StatusBadRequest)
	}
	equal(t, deliver(handler, "[]", func(http.Header) {}), http.StatusBadRequest)
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/", nil))
	equal(t, response.Code, http.StatusMethodNotAllowed)
}

func TestAHandlerThatPanicsLeavesTheEventToTheNextDelivery(t *testing.T) {
	panics := true
	handler := WebhookHandler(func(context.Context, *Event) error {
		if panics {
			panic("bug")
		}
		return nil
	}, []string{testSecret})
	body := `{"id":"evt_1","type":"test","data":{}}`
	func() {
		defer func() { _ = recover() }()
		deliver(handler, body, func(http.Header) {})
	}()
	panics = false
	equal(t, deliver(handler, body, func(http.Header) {}), http.StatusNoContent)
}

func TestAGuardForgetsTheOldestID(t *testing.T) {
	guard := NewReplayGuard(2)
	for _, id := range []string{"a", "b", "c"} {
		isFirst, _ := guard.Claim(t.Context(), id)
		equal(t, isFirst, true)
	}
	isFirst, _ := guard.Claim(t.Context(), "c")
	equal(t, isFirst, false)
	isFirst, _ = guard.Claim(t.Context(), "a")
	equal(t, isFirst, true)
}
