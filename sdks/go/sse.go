package ars

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
)

// sseEvent is an event of a stream: a frame, or a new reconnect delay.
type sseEvent struct {
	isRetry bool
	retry   time.Duration
	id      string
	data    []byte
}

// The last frame of a run contains its input and output, at most 11 MiB, and JSON may triple that.
const maxPendingBytes = 64 << 20

var errFrameTooLarge = errors.New("ars: a frame of the stream exceeds the maximum size")

// sseParser reads server-sent events (HTML standard). An incomplete frame at the end of the stream is dropped.
type sseParser struct {
	// lastEventID is the id for `Last-Event-ID`. An id without data also sets it.
	lastEventID string

	unfinished    []byte
	skipsLineFeed bool
	isPastStart   bool
	id            string
	data          [][]byte
	dataBytes     int
}

func newSSEParser(lastEventID string) *sseParser {
	return &sseParser{lastEventID: lastEventID, id: lastEventID}
}

// push returns the complete events, however the bytes are split.
func (p *sseParser) push(chunk []byte) ([]sseEvent, error) {
	var found []sseEvent
	for len(chunk) > 0 {
		// The second half of a split line break.
		if p.skipsLineFeed {
			p.skipsLineFeed = false
			if chunk[0] == '\n' {
				chunk = chunk[1:]
				continue
			}
		}
		end := bytes.IndexAny(chunk, "\r\n")
		if end == -1 {
			break
		}
		line := append(p.unfinished, chunk[:end]...)
		p.unfinished = nil
		if event, isComplete := p.takeLine(p.withoutByteOrderMark(line)); isComplete {
			found = append(found, event)
		}
		p.skipsLineFeed = chunk[end] == '\r'
		chunk = chunk[end+1:]
	}
	p.unfinished = append(p.unfinished, chunk...)
	if len(p.unfinished)+p.dataBytes > maxPendingBytes {
		return nil, errFrameTooLarge
	}
	return found, nil
}

func (p *sseParser) withoutByteOrderMark(line []byte) []byte {
	if p.isPastStart {
		return line
	}
	p.isPastStart = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}

func (p *sseParser) takeLine(line []byte) (sseEvent, bool) {
	if len(line) == 0 {
		return p.dispatch()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "data":
		p.data = append(p.data, value)
		p.dataBytes += len(value)
	case "id":
		if id := string(value); !strings.Contains(id, "\x00") {
			p.id = id
		}
	case "retry":
		if text := string(value); upToNineDigits.MatchString(text) {
			ms, _ := strconv.Atoi(text)
			return sseEvent{isRetry: true, retry: time.Duration(ms) * time.Millisecond}, true
		}
	}
	return sseEvent{}, false
}

func (p *sseParser) dispatch() (sseEvent, bool) {
	p.lastEventID = p.id
	if p.data == nil {
		return sseEvent{}, false
	}
	frame := sseEvent{id: p.id, data: bytes.Join(p.data, []byte("\n"))}
	p.data, p.dataBytes = nil, 0
	return frame, true
}
