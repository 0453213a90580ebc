// Runs an agent each working day at seven in Berlin. Started again, it changes the schedule instead of adding one.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	ctx, name := context.Background(), "morning-report"
	client, err := ars.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	agent, cron, zone := ars.Value(os.Getenv("AGENT_ID")), ars.Value("0 7 * * 1-5"), ars.Ptr("Europe/Berlin")
	input := map[string]any{"query": "What happened yesterday?"}
	var schedule *ars.Schedule
	for each, err := range client.Schedules.List(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		if each.Name == name {
			schedule = each
		}
	}
	if schedule == nil {
		schedule, err = client.Schedules.Create(ctx, ars.CreateSchedule{Name: name, AgentID: agent, Cron: cron, TimeZone: zone, Input: input})
	} else {
		schedule, err = client.Schedules.Update(ctx, schedule.ID, ars.UpdateSchedule{AgentID: agent, Cron: cron, TimeZone: zone, Input: input})
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(schedule.ID, schedule.Status)
	for _, date := range schedule.NextDates {
		fmt.Println(date.UTC().Format(time.RFC3339))
	}
}
