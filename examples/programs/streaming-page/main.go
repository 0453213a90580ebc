// A page that shows an answer while it is produced. The API key stays on the server. Open http://localhost:8080.
package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"log"
	"net/http"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

//go:embed page.html
var page []byte

func main() {
	client, err := ars.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /", func(response http.ResponseWriter, _ *http.Request) { response.Write(page) })
	http.HandleFunc("GET /ask", func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "text/event-stream")
		question := ars.CreateRun{
			AgentID: os.Getenv("AGENT_ID"),
			Input:   map[string]any{"query": request.FormValue("query")},
		}
		for frame, err := range client.Runs.Stream(request.Context(), question).All() { // ends when the reader leaves
			if err != nil {
				log.Print(err)
				return
			}
			fmt.Fprintf(response, "data: %s\n\n", frame.RawJSON())
			http.NewResponseController(response).Flush()
		}
	})
	log.Fatal(http.ListenAndServe("localhost:"+cmp.Or(os.Getenv("PORT"), "8080"), nil))
}
