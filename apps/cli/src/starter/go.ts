import type { Starter } from './starter.ts'

const program = `package main

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
	query := "Hello"
	if len(os.Args) > 1 {
		query = os.Args[1]
	}
	run, err := client.Runs.Create(context.Background(), ars.CreateRun{
		AgentID: os.Getenv("ARS_AGENT_ID"),
		Input:   map[string]any{"query": query},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, action := range run.RequiredActions {
		fmt.Println("It waits for a decision:", action.Message)
	}
	fmt.Println(run.ID, run.Status, run.Output["result"])
}
`

export const go: Starter = {
  title: 'Go 1.24 or newer',
  ignored: ['/my-program'],
  caVariable: 'SSL_CERT_FILE',
  commands: [
    ['go', 'mod', 'tidy'],
    ['go', 'run', '.'],
  ],
  files: ({ version, sdk }) => {
    const path = 'github.com/agent-run-service/agent-run-service/sdks/go'
    const replace = sdk === undefined ? '' : `\nreplace ${path} => ${sdk}\n`
    return {
      'main.go': program,
      'go.mod': `module example.com/my-program\n\ngo 1.24.0\n\nrequire ${path} v${version}\n${replace}`,
    }
  },
}
