package ars

import (
	"fmt"
	"strings"
	"testing"
)

func parse(t *testing.T, chunks ...string) (string, *sseParser) {
	t.Helper()
	parser := newSSEParser("")
	var said []string
	for _, chunk := range chunks {
		events, err := parser.push([]byte(chunk))
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range events {
			if event.isRetry {
				said = append(said, fmt.Sprint("retry ", event.retry))
			} else {
				said = append(said, event.id+"="+string(event.data))
			}
		}
	}
	return strings.Join(said, "|"), parser
}

func TestEventsAreReadHoweverTheBytesAreSplit(t *testing.T) {
	text := "\ufeffretry: 1200\r\n\r\n: beat\n\nid: 1\nevent: x\ndata: Ünï 🚀\ndata:two\n\nid\r\rdata: :a: b\r\rid: 3\ndata\n\nretry: x\ndata: lost"
	want := "retry 1.2s|1=Ünï 🚀\ntwo|=:a: b|3="
	for cut := range len(text) {
		got, parser := parse(t, text[:cut], text[cut:])
		equal(t, got, want)
		equal(t, parser.lastEventID, "3")
	}
	got, _ := parse(t, strings.Split(text, "")...)
	equal(t, got, want)
}

func TestAnIDWithoutDataSetsThePosition(t *testing.T) {
	got, parser := parse(t, "id: evt_1\n\n")
	equal(t, got, "")
	equal(t, parser.lastEventID, "evt_1")
}

func TestAFrameWithoutEndIsRefused(t *testing.T) {
	parser := newSSEParser("")
	chunk := []byte(strings.Repeat("x", 1<<20))
	var err error
	for n := 0; n <= 64 && err == nil; n++ {
		_, err = parser.push(chunk)
	}
	equal(t, err, errFrameTooLarge)
}
