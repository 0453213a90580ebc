// Command streams opens ARS_STREAMS streams of runs, ARS_STREAMS_AT_ONCE at the same time, and checks each of them: no
// frame is lost, none comes twice, and the text equals the output of the run. It prints one line of JSON. See
// proof/sdks/streams.ts, which kills the gateways in the meantime.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

const chunks = 20

type report struct {
	Streams int      `json:"streams"`
	Frames  int      `json:"frames"`
	Faults  []string `json:"faults"`
}

func main() {
	total, atOnce := number("ARS_STREAMS"), number("ARS_STREAMS_AT_ONCE")
	client, err := ars.NewClient(ars.WithMaxRetries(20))
	must(err)
	result := report{Faults: []string{}}
	var mutex sync.Mutex
	var workers sync.WaitGroup
	waiting := make(chan int)
	for range atOnce {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for n := range waiting {
				frames, err := follow(client, n)
				mutex.Lock()
				result.Streams++
				result.Frames += frames
				if err != nil {
					result.Faults = append(result.Faults, err.Error())
				}
				mutex.Unlock()
			}
		}()
	}
	for n := range total {
		waiting <- n
	}
	close(waiting)
	workers.Wait()
	must(json.NewEncoder(os.Stdout).Encode(result))
}

// follow reads one stream. The frames of a run are numbered without gaps, so that their count is the last id.
func follow(client *ars.Client, n int) (int, error) {
	text := fmt.Sprintf("stream %d: %s", n, strings.Repeat("Ünï 🚀 ", 40))
	stream := client.Runs.Stream(context.Background(), ars.CreateRun{
		AgentID: os.Getenv("ARS_AGENT_ID"),
		Input:   map[string]any{"text": text, "chunks": chunks, "delay_ms": 150},
	})
	frames, received := 0, ""
	for frame, err := range stream.All() {
		if err != nil {
			return frames, fmt.Errorf("stream %d after %d frames: %w", n, frames, err)
		}
		frames++
		switch variant := frame.Variant.(type) {
		case *ars.RunOutputDeltaFrame:
			received += variant.Delta
		case *ars.RunOutputResetFrame:
			received = ""
		}
	}
	run, err := stream.FinalRun()
	if err != nil {
		return frames, fmt.Errorf("stream %d: %w", n, err)
	}
	collected, err := stream.Text()
	switch {
	case err != nil:
		return frames, fmt.Errorf("stream %d: %w", n, err)
	case strconv.Itoa(frames) != stream.LastEventID():
		return frames, fmt.Errorf("stream %d: %d frames, but the last id is %s", n, frames, stream.LastEventID())
	case run.Output["result"] != text || collected != text || received != text:
		return frames, fmt.Errorf("stream %d: the text differs from the output", n)
	}
	return frames, nil
}

func number(name string) int {
	value, err := strconv.Atoi(os.Getenv(name))
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
