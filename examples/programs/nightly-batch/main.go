// Runs an agent for each line of a file and writes the answers: go run . items.jsonl answers.jsonl
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	ctx := context.Background()
	client, err := ars.NewClient()
	check(err)
	file, err := os.Open(os.Args[1])
	check(err)
	var items []ars.BatchItem
	for lines := json.NewDecoder(file); lines.More(); {
		items = append(items, ars.BatchItem{})
		check(lines.Decode(&items[len(items)-1])) // {"custom_id": "ticket-1", "input": {…}}
	}
	// If cron starts the program again on the same day, the same key finds the same batch.
	key := ars.WithIdempotencyKey(os.Args[1] + " " + time.Now().UTC().Format(time.DateOnly))
	batch, err := client.Batches.CreateAndWait(ctx, ars.CreateBatch{AgentID: os.Getenv("AGENT_ID"), Items: items}, key)
	check(err)
	answers, err := os.Create(os.Args[2])
	check(err)
	for result, err := range client.Batches.Results(ctx, batch.ID, nil) {
		check(err)
		line := map[string]any{"id": result.CustomID, "status": result.Status, "answer": result.OutputText()}
		check(json.NewEncoder(answers).Encode(line))
	}
	fmt.Printf("%d items, %d failed\n", batch.Progress.Items, batch.Progress.Failed)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
