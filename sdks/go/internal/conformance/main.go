// Command conformance runs all cases of the conformance server at ARS_CONFORMANCE_URL with this SDK. It compares
// nothing: the server judges the requests and the outcomes. See sdks/conformance/README.md.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

const atOnce = 8

type testCase struct {
	Name   string  `json:"name"`
	Client options `json:"client"`
	Calls  []call  `json:"calls"`
}

type call struct {
	Do          string                     `json:"do"`
	Operation   string                     `json:"operation"`
	Path        []any                      `json:"path"`
	Query       map[string]json.RawMessage `json:"query"`
	Body        json.RawMessage            `json:"body"`
	Options     options                    `json:"options"`
	Take        *int                       `json:"take"`
	CancelAfter *int                       `json:"cancel_after_requests"`
	Delivery    delivery                   `json:"delivery"`
}

type delivery struct {
	Secrets []string          `json:"secrets"`
	Now     float64           `json:"now"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// outcome is what a call produced, as far as it got.
type outcome map[string]any

func main() {
	server := os.Getenv("ARS_CONFORMANCE_URL")
	var known struct{ Cases []testCase }
	must(ask(http.MethodGet, server+"/cases", nil, &known))
	waiting := make(chan testCase)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for one := range waiting {
				runCase(server, one)
			}
		}()
	}
	for _, one := range known.Cases {
		waiting <- one
	}
	close(waiting)
	workers.Wait()
}

func runCase(server string, one testCase) {
	var session struct {
		Session string `json:"session"`
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
	}
	must(ask(http.MethodPost, server+"/sessions", map[string]string{"case": one.Name, "runner": "go"}, &session))
	// Separate connections: net/http repeats an idempotent request if a connection of an earlier request has closed.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	client, err := ars.NewClient(append(one.Client.forClient(),
		ars.WithBaseURL(session.BaseURL),
		ars.WithAPIKey(session.APIKey),
		ars.WithHTTPClient(&http.Client{Transport: transport}),
	)...)
	must(err)
	at := server + "/sessions/" + session.Session
	outcomes := make([]outcome, len(one.Calls))
	for n, each := range one.Calls {
		outcomes[n] = outcomeOf(client, each, at)
	}
	must(ask(http.MethodPost, at+"/outcome", map[string]any{"outcomes": outcomes}, nil))
}

func outcomeOf(client *ars.Client, call call, at string) outcome {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if call.CancelAfter != nil {
		go func() {
			must(ask(http.MethodGet, fmt.Sprintf("%s/wait?requests=%d", at, *call.CancelAfter), nil, nil))
			cancel()
		}()
	}
	seen := outcome{}
	if err := perform(ctx, client, call, seen); err != nil {
		seen["error"] = describe(ctx, err)
	}
	return seen
}

func perform(ctx context.Context, client *ars.Client, call call, seen outcome) error {
	if call.Do == "unwrap" {
		header := http.Header{}
		for name, value := range call.Delivery.Headers {
			header.Set(name, value)
		}
		event, err := ars.VerifyWebhook(ars.WebhookDelivery{
			Body:    []byte(call.Delivery.Body),
			Header:  header,
			Secrets: call.Delivery.Secrets,
			Now:     time.UnixMilli(int64(call.Delivery.Now * 1000)),
		})
		if err == nil {
			seen["result"] = event.RawJSON()
		}
		return err
	}
	begun, err := invoke(ctx, client, call)
	if err != nil {
		return err
	}
	return consume(begun, call, seen)
}

func ask(method, url string, body, result any) error {
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, url, sent)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s %s: %d %s", method, url, response.StatusCode, text)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(text, result)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
