// Handles each order exactly once, also if the program is stopped and started again: go run . order-1 order-2
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	client, err := ars.NewClient(ars.WithMaxRetries(5))
	if err != nil {
		log.Fatal(err)
	}
	for _, order := range os.Args[1:] {
		request := ars.CreateRun{
			AgentID:  os.Getenv("AGENT_ID"),
			Input:    map[string]any{"query": "Confirm " + order},
			Metadata: map[string]string{"order": order},
		}
		// For 24 hours, the same key returns the run that exists already.
		run, err := client.Runs.CreateAndWait(context.Background(), request, ars.WithIdempotencyKey(order))
		var refused *ars.Error
		if errors.As(err, &refused) && refused.StatusCode == http.StatusTooManyRequests {
			log.Fatal(order, refused.Code, "retry in", refused.RetryAfter)
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Println(order, run.ID, run.Status, run.OutputText())
	}
}
