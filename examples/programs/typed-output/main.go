// Reads fields out of a document. The service checks the answer against the schema of the agent: go run . invoice.txt
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

type invoice struct {
	Number string
	Total  float64
	Due    string
}

func main() {
	client, err := ars.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	document := ars.CreateRun{AgentID: os.Getenv("AGENT_ID"), Input: map[string]any{"text": string(text)}}
	run, err := client.Runs.CreateAndWait(context.Background(), document)
	if err != nil {
		log.Fatal(err)
	}
	var found invoice
	if err := run.DecodeOutput(&found); err != nil {
		log.Fatal(run.Status, run.Error, err)
	}
	fmt.Printf("Invoice %s: %.2f euros until %s\n", found.Number, found.Total, found.Due)
}
