// Prints what each agent did and cost in a month, the most expensive first: go run . 2026-11
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

func main() {
	client, err := ars.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	month := &ars.UsageGetParams{}
	if len(os.Args) > 1 {
		month.Month = &os.Args[1]
	}
	usage, err := client.Usage.Get(context.Background(), month)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s to %s: %d of %d calls\n", usage.Period.Start, usage.Period.End, usage.Calls.Used, usage.Calls.Limit)
	slices.SortFunc(usage.ByAgent, func(a, b ars.UsageOfAgent) int { return cmp.Compare(b.Figures.CostUSD, a.Figures.CostUSD) })
	for _, each := range usage.ByAgent {
		name := each.AgentID
		if each.Name != nil {
			name = *each.Name
		}
		fmt.Printf("%s: %d runs, %d failed, %.2f USD\n", name, each.Figures.Runs, each.Figures.Failed, each.Figures.CostUSD)
	}
	fmt.Printf("total: %d runs, %.2f USD\n", usage.Totals.Runs, usage.Totals.CostUSD)
}
