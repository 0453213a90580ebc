package ars

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// RunStream yields the frames of a run, each exactly once. It also collects the text and the final run.
type RunStream struct {
	*Stream[RunFrame]
	getRun func(ctx context.Context, at *position) (json.RawMessage, error)
	deltas []stepDelta
	final  json.RawMessage
	// hasGap says that deltas are missing: a snapshot replaced them, the stream began after them, or was asked
	// to leave them out.
	hasGap bool
}

type stepDelta struct {
	step int64
	text string
}

func newRunStream(
	stream *Stream[RunFrame],
	getRun func(ctx context.Context, at *position) (json.RawMessage, error),
) *RunStream {
	result := &RunStream{Stream: stream, getRun: getRun}
	stream.watch = result.take
	return result
}

func (s *RunStream) take(head frameHead) {
	switch {
	case head.Type == "run.output.delta":
		s.deltas = append(s.deltas, stepDelta{head.Step, head.Delta})
	case head.Type == "run.output.reset":
		kept := s.deltas[:0]
		for _, delta := range s.deltas {
			if delta.step != head.Step {
				kept = append(kept, delta)
			}
		}
		s.deltas = kept
	case head.Type == "run.snapshot":
		s.hasGap = true
	case isLastRunFrame(head.Type):
		s.final = head.Run
	}
}

// errNoFinalFrame means that the loop was left, or Close was called.
var errNoFinalFrame = errors.New("ars: the stream was closed before the run ended")

// Text reads the stream to its end and returns the text of the run, without the deltas that were reset.
func (s *RunStream) Text() (string, error) {
	run, err := s.FinalRun()
	if err != nil {
		return "", err
	}
	if text, isText := run.Output["result"].(string); s.hasGap && isText {
		return text, nil
	}
	var text strings.Builder
	for _, delta := range s.deltas {
		text.WriteString(delta.text)
	}
	return text.String(), nil
}

// FinalRun reads the stream to its end and returns the run. A run that failed is no error: see its Status and Error.
func (s *RunStream) FinalRun() (*Run, error) {
	for _, err := range s.All() {
		if err != nil {
			return nil, err
		}
	}
	if s.final == nil {
		// Without a last frame the stream began after it.
		if !s.isComplete {
			return nil, errNoFinalFrame
		}
		var err error
		if s.final, err = s.getRun(s.parent, s.at); err != nil {
			return nil, err
		}
		s.hasGap = true
	}
	run := new(Run)
	if err := json.Unmarshal(s.final, run); err != nil {
		return nil, err
	}
	return run, nil
}
