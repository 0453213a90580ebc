package ars_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

// The examples are the tasks of README.md, in its order. They run against the service at ARS_BASE_URL, or against a fake
// one; see example_service_test.go.

func Example() {
	agentID := exampleAgent("test-echo")
	ctx := context.Background()
	client, err := ars.NewClient() // reads ARS_API_KEY and ARS_BASE_URL
	if err != nil {
		log.Fatal(err)
	}
	run, err := client.Runs.Create(ctx, ars.CreateRun{AgentID: agentID, Input: map[string]any{"query": "Hello"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status, run.OutputText())
	// Output: completed Hello
}

func ExampleRunsResource_Stream() {
	ctx, client, agentID := exampleClient("test-stream")
	input := map[string]any{"text": "Once upon a time", "chunks": 4, "delay_ms": 1}
	stream := client.Runs.Stream(ctx, ars.CreateRun{AgentID: agentID, Input: input})
	for frame, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		if delta, ok := frame.Variant.(*ars.RunOutputDeltaFrame); ok {
			fmt.Print(delta.Delta)
		}
	}
	run, err := stream.FinalRun()
	fmt.Println("\n", run.Status, err)
	// Output:
	// Once upon a time
	//  completed <nil>
}

func ExampleRunsResource_Act() {
	ctx, client, agentID := exampleClient("test-approval")
	run, err := client.Runs.Create(ctx, ars.CreateRun{AgentID: agentID, Input: map[string]any{"message": "Pay 20 euros?"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, action := range run.RequiredActions {
		fmt.Println(action.Message)
		run, err = client.Runs.Act(ctx, run.ID, ars.SendAction{
			Type:     ars.SendActionTypeApprove,
			ActionID: &action.ID,
			Comment:  ars.Ptr("Approved by accounting"),
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	run, err = client.Runs.Wait(ctx, run.ID)
	fmt.Println(run.Status, err)
	// Output:
	// Pay 20 euros?
	// completed <nil>
}

func ExampleRunsResource_List() {
	ctx, client, _ := exampleClient("test-echo")
	for run, err := range client.Runs.List(ctx, &ars.RunsListParams{Status: []ars.RunStatus{ars.RunStatusCompleted}}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.Status)
		break // without it, the loop reads all pages
	}
	// Output: completed
}

func ExampleError() {
	ctx, client, _ := exampleClient("test-echo")
	_, err := client.Runs.Get(ctx, "run_01kf3xw0fqe1vrr9m8sdv2wbx4")
	var refused *ars.Error
	switch {
	case errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound:
		fmt.Println("The run does not exist:", refused.Code)
	case errors.As(err, &refused):
		log.Fatal(refused.Code, refused.Param, refused.RequestID, refused.DocURL)
	case err != nil:
		log.Fatal(err) // *ars.ConnectionError: no response
	}
	// Output: The run does not exist: not_found
}

func ExampleWithIdempotencyKey() {
	ctx, client, agentID := exampleClient("test-echo")
	orderID := exampleKey()
	run, err := client.Runs.Create(ctx, ars.CreateRun{AgentID: agentID, Input: map[string]any{"query": "Hello"}},
		ars.WithIdempotencyKey(orderID), ars.WithMaxRetries(5), ars.WithTimeout(2*time.Minute))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Status)
	// Output: completed
}

func ExampleWebhookHandler() {
	secret := exampleSecret
	http.Handle("POST /hook", ars.WebhookHandler(func(ctx context.Context, event *ars.Event) error {
		if completed, ok := event.Variant.(*ars.RunCompletedEvent); ok {
			fmt.Println(completed.Data.ID, completed.Data.OutputText())
		}
		return nil // an error responds with 500, and the event is delivered again
	}, []string{secret}))
	fmt.Println(deliverExample("/hook"))
	// Output:
	// run_1 Hello
	// 204
}

func ExampleRunsResource_Cancel() {
	ctx, client, agentID := exampleClient("test-slow")
	run, err := client.Runs.Create(ctx, ars.CreateRun{AgentID: agentID, Input: map[string]any{"seconds": 60}}, ars.WithWait(0))
	if err != nil {
		log.Fatal(err)
	}
	if run, err = client.Runs.Cancel(ctx, run.ID); err != nil {
		log.Fatal(err)
	}
	run, err = client.Runs.Watch(ctx, run.ID, nil).FinalRun()
	fmt.Println(run.Status, err)
	// Output: cancelled <nil>
}

func ExampleAgentsResource_Update() {
	ctx, client, _ := exampleClient("test-echo")
	agentID := newExampleAgent()
	released, err := client.Agents.Update(ctx, agentID, ars.UpdateAgent{
		Config:  &ars.AgentConfigInput{Instructions: ars.Value("Be brief.")},
		Rollout: ars.RolloutCanary{TrafficPercent: 10},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(released.Deployment.Status, released.Deployment.TrafficPercent)
	promoted, err := client.Deployments.Promote(ctx, released.Deployment.ID, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(promoted.Status)
	// Output:
	// canary 10
	// active
}

func ExampleAPIKeysResource_Rotate() {
	ctx, client, _ := exampleClient("test-echo")
	keyID := newExampleKey()
	rotated, err := client.APIKeys.Rotate(ctx, keyID) // the old key stays valid for 24 hours
	if err != nil {
		log.Fatal(err)
	}
	client, err = ars.NewClient(ars.WithAPIKey(*rotated.Key))
	fmt.Println(client != nil, err)
	// Output: true <nil>
}

func ExampleBatchesResource_CreateAndWait() {
	ctx, client, agentID := exampleClient("test-echo")
	items := []ars.BatchItem{
		{CustomID: ars.Ptr("2026-014"), Input: map[string]any{"query": "When is 2026-014 due?"}},
		{CustomID: ars.Ptr("2026-015"), Input: map[string]any{"query": "When is 2026-015 due?"}},
	}
	batch, err := client.Batches.CreateAndWait(ctx, ars.CreateBatch{AgentID: agentID, Items: items})
	if err != nil {
		log.Fatal(err)
	}
	for result, err := range client.Batches.Results(ctx, batch.ID, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(*result.CustomID, result.Status, result.OutputText())
	}
	again, err := client.Batches.RetryFailed(ctx, batch.ID, ars.BatchesRetryFailedParams{Items: items}) // nil: no item failed
	fmt.Println(again, err)
	// Output:
	// 2026-014 completed When is 2026-014 due?
	// 2026-015 completed When is 2026-015 due?
	// <nil> <nil>
}
