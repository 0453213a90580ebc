package ars

import (
	"io"
	"time"
)

// connection is one response of a stream.
type connection struct {
	response *openResponse
	parser   *sseParser
	// retry is the last requested reconnect delay, and 0 if there was none.
	retry     time.Duration
	retries   int
	frames    int
	endedWell bool
}

func newConnection(response *openResponse, lastEventID string) *connection {
	return &connection{response: response, parser: newSSEParser(lastEventID)}
}

// endedWithoutWord reports whether the stream ended normally without a frame, and without the second `retry` of a
// stopping gateway.
func (c *connection) endedWithoutWord() bool { return c.endedWell && c.frames == 0 && c.retries < 2 }

// read hands every frame to take until the response ends, breaks or is silent for too long, or take returns false.
func (c *connection) read(idle time.Duration, take func(sseEvent) (bool, error)) error {
	defer func() {
		// Also when the loop was left early: the request ends.
		c.response.cancel()
		_ = c.response.Body.Close()
	}()
	silence := time.AfterFunc(idle, c.response.cancel)
	defer silence.Stop()
	buffer := make([]byte, 32<<10)
	for {
		size, readErr := c.response.Body.Read(buffer)
		silence.Stop()
		events, err := c.parser.push(buffer[:size])
		if err != nil {
			return err
		}
		for _, event := range events {
			if event.isRetry {
				c.retries++
				c.retry = max(event.retry, minStreamRetry)
				continue
			}
			c.frames++
			if goesOn, err := take(event); !goesOn || err != nil {
				return err
			}
		}
		if readErr != nil {
			c.endedWell = readErr == io.EOF
			return nil
		}
		silence.Reset(idle)
	}
}
