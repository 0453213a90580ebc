// Receives webhooks. Register its public HTTPS address with `ars webhooks create`, and pass the secret that it prints.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func received(_ context.Context, event *ars.Event) error {
	switch event := event.Variant.(type) {
	case *ars.RunCompletedEvent:
		fmt.Println("completed", event.Data.ID, event.Data.OutputText())
	case *ars.RunFailedEvent:
		fmt.Println("failed", event.Data.ID, event.Data.Error.Code)
	}
	return nil
}

func main() {
	http.Handle("/", ars.WebhookHandler(received, []string{os.Getenv("WEBHOOK_SECRET")}))
	log.Fatal(http.ListenAndServe(":"+cmp.Or(os.Getenv("PORT"), "8080"), nil))
}
