// Asks many questions, four at a time, and gives each of them a minute: go run . < questions.txt
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	client, err := ars.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	free := make(chan struct{}, 4)
	var answers []chan string
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		query, answer := lines.Text(), make(chan string, 1)
		answers = append(answers, answer)
		go func() {
			free <- struct{}{}
			defer func() { <-free }()
			question := ars.CreateRun{AgentID: os.Getenv("AGENT_ID"), Input: map[string]any{"query": query}}
			question.TimeoutSeconds = ars.Ptr(int64(60))
			run, err := client.Runs.CreateAndWait(context.Background(), question)
			if err != nil {
				log.Fatal(err)
			}
			answer <- fmt.Sprint(query, " -> ", run.OutputText())
		}()
	}
	for _, answer := range answers {
		fmt.Println(<-answer)
	}
}
