package ars

import (
	"encoding/json"
	"net/url"
	"testing"
	"time"
)

func TestOptionalFieldsAreAbsentNullOrAValue(t *testing.T) {
	equalJSON(t, UpdateAgent{}, `{}`)
	equalJSON(t, UpdateAgent{Description: Null[string]()}, `{"description":null}`)
	equalJSON(t, UpdateAgent{Description: Value("<b>")}, `{"description":"<b>"}`)
	equalJSON(t, UpdateAgent{Version: Ptr(int64(0))}, `{"version":0}`)
	equalJSON(t, UpdateAgent{Policies: Value([]string{})}, `{"policies":[]}`)
}

func TestAVariantOfARequestSendsItsDiscriminator(t *testing.T) {
	equalJSON(t, UpdateAgent{Rollout: RolloutCanary{TrafficPercent: 10}}, `{"rollout":{"strategy":"canary","traffic_percent":10}}`)
}

func TestAnEventHasItsVariantAndKeepsWhatItDoesNotKnow(t *testing.T) {
	text := `{"id":"evt_1","type":"run.completed","created_at":"2030-01-01T00:00:00.000Z","data":{"id":"run_1","status":"paused","new":1},"new":{"a":1}}`
	var event Event
	if err := json.Unmarshal([]byte(text), &event); err != nil {
		t.Fatal(err)
	}
	completed, isCompleted := event.Variant.(*RunCompletedEvent)
	equal(t, isCompleted, true)
	equal(t, completed.Data.Status, RunStatus("paused"))
	equal(t, event.CreatedAt, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	equal(t, string(event.RawJSON()), text)
	equalJSON(t, event, text)
}

func TestAnEventOfAnUnknownTypeIsKept(t *testing.T) {
	text := `{"id":"evt_1","type":"moon.full","created_at":"2030-01-01T00:00:00.000Z","data":{"is":true}}`
	var event Event
	if err := json.Unmarshal([]byte(text), &event); err != nil {
		t.Fatal(err)
	}
	equal(t, event.Variant, nil)
	equal(t, string(event.Type), "moon.full")
	equal(t, string(event.RawJSON()), text)
}

func TestQueriesAreWrittenAsTheServiceReadsThem(t *testing.T) {
	query := queryOf(&RunsListParams{
		Limit:        Ptr(int64(5)),
		Status:       []RunStatus{RunStatusFailed, RunStatusCancelled},
		CreatedAfter: Ptr(time.Date(2030, 1, 1, 1, 0, 0, 5e6, time.FixedZone("", 3600))),
		Metadata:     map[string]string{"team": "a b"},
	})
	equal(t, query.Encode(), url.Values{
		"limit":          {"5"},
		"status":         {"failed,cancelled"},
		"created_after":  {"2030-01-01T00:00:00.005Z"},
		"metadata[team]": {"a b"},
	}.Encode())
	equal(t, len(queryOf[RunsListParams](nil)), 0)
}
