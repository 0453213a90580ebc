package ars_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

// Without ARS_BASE_URL the examples run against a fake service, which knows just their calls.
func TestMain(m *testing.M) {
	if os.Getenv("ARS_BASE_URL") == "" {
		server := httptest.NewServer(http.StripPrefix("/v2", exampleService()))
		defer server.Close()
		must(os.Setenv("ARS_BASE_URL", server.URL+"/v2"))
		must(os.Setenv("ARS_API_KEY", "ars_test_key"))
	}
	os.Exit(m.Run())
}

func exampleService() http.Handler {
	mux := http.NewServeMux()
	answer := func(pattern string, status int, body string) {
		mux.HandleFunc(pattern, func(response http.ResponseWriter, _ *http.Request) {
			response.WriteHeader(status)
			_, _ = response.Write([]byte(body))
		})
	}
	run := func(status, more string) string {
		return `{"id":"run_1","object":"run","status":"` + status + `","output":{"result":"Hello"}` + more + `}`
	}
	agents := `{"object":"list","has_more":false,"data":[`
	for n, name := range []string{"test-echo", "test-stream", "test-approval", "test-slow"} {
		agents += strings.Repeat(",", min(n, 1)) + `{"id":"ag_` + name + `","name":"` + name + `"}`
	}
	answer("GET /agents", http.StatusOK, agents+"]}")
	answer("POST /agents/custom", http.StatusCreated, `{"id":"ag_1"}`)
	answer("PATCH /agents/ag_1", http.StatusOK, `{"id":"ag_1","deployment":{"id":"dep_1","status":"canary","traffic_percent":10}}`)
	answer("POST /deployments/dep_1/promote", http.StatusOK, `{"id":"dep_1","status":"active"}`)
	answer("POST /api-keys", http.StatusCreated, `{"id":"key_1","key":"ars_live_1"}`)
	answer("POST /api-keys/key_1/rotate", http.StatusCreated, `{"id":"key_2","key":"ars_live_2"}`)
	batch := `{"id":"bat_1","object":"batch","finished_at":"2030-01-01T00:00:00Z"}`
	result := `{"object":"batch_result","status":"completed","custom_id":"2026-01%d","output":{"result":"When is 2026-01%[1]d due?"}}`
	answer("POST /batches", http.StatusCreated, batch)
	answer("GET /batches/bat_1", http.StatusOK, batch)
	answer("GET /batches/bat_1/results", http.StatusOK,
		`{"object":"list","has_more":false,"data":[`+fmt.Sprintf(result, 4)+","+fmt.Sprintf(result, 5)+`]}`)
	answer("GET /runs", http.StatusOK, `{"object":"list","has_more":false,"data":[`+run("completed", "")+`]}`)
	answer("GET /runs/{id}", http.StatusNotFound, `{"error":{"code":"not_found","message":"It does not exist."}}`)
	answer("POST /runs/{id}/action", http.StatusOK, run("running", ""))
	answer("DELETE /runs/{id}", http.StatusOK, `{"id":"run_2","status":"cancelling"}`)
	answer("GET /runs/run_1/stream", http.StatusOK, "data: {\"type\":\"run.completed\",\"run\":"+run("completed", "")+"}\n\n")
	answer("GET /runs/run_2/stream", http.StatusOK, "data: {\"type\":\"run.cancelled\",\"run\":"+run("cancelled", "")+"}\n\n")
	answer("POST /runs/stream", http.StatusOK, "data: {\"type\":\"run.output.delta\",\"delta\":\"Once upon a time\"}\n\n"+
		"data: {\"type\":\"run.completed\",\"run\":"+run("completed", "")+"}\n\n")
	mux.HandleFunc("POST /runs", func(response http.ResponseWriter, request *http.Request) {
		var body ars.CreateRun
		must(json.NewDecoder(request.Body).Decode(&body))
		text := run("completed", "")
		if message, asks := body.Input["message"]; asks {
			text = run("requires_action", fmt.Sprintf(`,"required_actions":[{"id":"act_1","message":%q}]`, message))
		}
		_, _ = response.Write([]byte(text))
	})
	return mux
}

func exampleClient(agentName string) (context.Context, *ars.Client, string) {
	client, err := ars.NewClient()
	must(err)
	return context.Background(), client, exampleAgent(agentName)
}

// exampleAgent finds a test agent by its name.
func exampleAgent(name string) string {
	client, err := ars.NewClient()
	must(err)
	for agent, err := range client.Agents.List(context.Background(), nil) {
		must(err)
		if agent.Name == name {
			return agent.ID
		}
	}
	log.Fatalf("there is no agent %s", name)
	return ""
}

func newExampleAgent() string {
	ctx, client, _ := exampleClient("test-echo")
	created, err := client.Agents.Create(ctx, ars.CreateAgent{
		Name:   "go-example-" + exampleKey(),
		Config: ars.AgentConfigInput{Model: ars.Ptr("simulated/echo")},
	})
	must(err)
	return created.ID
}

func newExampleKey() string {
	ctx, client, _ := exampleClient("test-echo")
	created, err := client.APIKeys.Create(ctx, ars.CreateAPIKey{Name: "go-example", Scopes: []string{"runs:read"}})
	must(err)
	return created.ID
}

func exampleKey() string { return strings.ToLower(rand.Text()) }

const exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// deliverExample sends an event to the default server of net/http and returns its status.
func deliverExample(path string) int {
	body := []byte(`{"id":"evt_1","type":"run.completed","data":{"id":"run_1","output":{"result":"Hello"}}}`)
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	request.Header = ars.SignWebhook(exampleSecret, "evt_1", time.Now(), body)
	response := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(response, request)
	return response.Code
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
