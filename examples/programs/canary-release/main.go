// Gives half of the runs new instructions, asks some questions, then promotes or rolls back: go run . "Be brief."
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	ctx, agentID := context.Background(), os.Getenv("AGENT_ID")
	client, err := ars.NewClient()
	check(err)
	released, err := client.Agents.Update(ctx, agentID, ars.UpdateAgent{
		Config:  &ars.AgentConfigInput{Instructions: ars.Value(os.Args[1])},
		Rollout: ars.RolloutCanary{TrafficPercent: 50},
	})
	check(err)
	for range 10 {
		_, err := client.Runs.CreateAndWait(ctx, ars.CreateRun{AgentID: agentID, Input: map[string]any{"query": "Which plan do I have?"}})
		check(err)
	}
	canary, failed := released.Deployment, 0
	for _, err := range client.Runs.List(ctx, &ars.RunsListParams{DeploymentID: &canary.ID, Status: []ars.RunStatus{"failed"}}) {
		check(err)
		failed++
	}
	if failed == 0 {
		canary, err = client.Deployments.Promote(ctx, canary.ID, nil)
	} else {
		canary, err = client.Deployments.Rollback(ctx, canary.ID, ars.RollBackDeployment{Reason: "runs failed"})
	}
	check(err)
	fmt.Printf("version %d: %d failed, %s\n", canary.Version, failed, canary.Status)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
