// A page on which a person approves what an agent asks. The API key stays on the server. Open http://localhost:8080.
package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
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
	http.HandleFunc("POST /payments", func(response http.ResponseWriter, request *http.Request) {
		question := ars.CreateRun{AgentID: os.Getenv("AGENT_ID"), Input: map[string]any{"message": "Pay 20 euros?"}}
		run, err := client.Runs.CreateAndWait(request.Context(), question)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadGateway)
			return
		}
		grant := ars.CreateSessionToken{Scopes: []string{"runs:read", "runs:approve"}, RunID: &run.ID}
		token, err := client.SessionTokens.Create(request.Context(), grant)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadGateway)
			return
		}
		url := client.BaseURL() + "/runs/" + run.ID
		json.NewEncoder(response).Encode(map[string]any{"url": url, "token": token.Token, "actions": run.RequiredActions})
	})
	log.Fatal(http.ListenAndServe("localhost:"+cmp.Or(os.Getenv("PORT"), "8080"), nil))
}
