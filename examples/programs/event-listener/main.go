// Handles each event once, without a public address. The file keeps the position, so a restart misses nothing.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

const file = "position.txt"

func main() {
	client, err := ars.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	position, _ := os.ReadFile(file)
	wanted := &ars.EventsWatchParams{Type: []ars.EventsListType{"run.completed", "run.failed"}}
	events := client.Events.Watch(context.Background(), wanted, ars.WithLastEventID(string(position)))
	for event, err := range events.All() {
		if err != nil {
			log.Fatal(err)
		}
		switch event := event.Variant.(type) {
		case *ars.RunCompletedEvent:
			fmt.Println("completed", event.Data.ID, event.Data.OutputText())
		case *ars.RunFailedEvent:
			fmt.Println("failed", event.Data.ID, event.Data.Error.Code)
		}
		if err := os.WriteFile(file, []byte(event.ID), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
