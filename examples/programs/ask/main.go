// Asks an agent in the terminal and prints the answer while it is produced: go run . "What is a quorum?"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	client, err := ars.NewClient() // reads ARS_API_KEY and ARS_BASE_URL
	if err != nil {
		log.Fatal(err)
	}
	question := ars.CreateRun{AgentID: os.Getenv("AGENT_ID"), Input: map[string]any{"query": os.Args[1]}}
	stream := client.Runs.Stream(context.Background(), question)
	for frame, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		switch frame := frame.Variant.(type) {
		case *ars.RunOutputDeltaFrame:
			fmt.Print(frame.Delta)
		case *ars.RunOutputResetFrame:
			fmt.Println("\n[the text above is void]")
		}
	}
	run, err := stream.FinalRun()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\n%s, %d tokens\n", run.Status, run.TokensUsed)
	if run.Error != nil {
		log.Fatal(run.Error.Code, " ", run.Error.Message)
	}
}
