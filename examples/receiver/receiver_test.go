package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

type vector struct {
	Name     string
	Secrets  []string
	Now      int64
	Headers  map[string]string
	Body     json.RawMessage
	Plain    bool
	Standard bool
}

// Holds receiver.go against the shared vectors: go test receiver.go receiver_test.go
func TestTheSharedVectorsHold(t *testing.T) {
	file, err := os.ReadFile("../../sdks/conformance/webhook-signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Verifying []vector }
	if err := json.Unmarshal(file, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, one := range vectors.Verifying {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		body := bodyOf(t, one.Body)
		plain, standard := false, false
		for _, secret := range one.Secrets {
			plain = plainFits(secret, headers, body) || plain
			standard = standardFits(secret, headers, body, one.Now) || standard
		}
		if plain != one.Plain || standard != one.Standard {
			t.Errorf("%s: plain %v, standard %v", one.Name, plain, standard)
		}
	}
	fmt.Println(len(vectors.Verifying), "vectors hold")
}

func bodyOf(t *testing.T, given json.RawMessage) []byte {
	var text string
	if json.Unmarshal(given, &text) == nil {
		return []byte(text)
	}
	var recipe struct {
		Before, Repeat, After string
		Times                 int
	}
	if err := json.Unmarshal(given, &recipe); err != nil {
		t.Fatal(err)
	}
	return []byte(recipe.Before + strings.Repeat(recipe.Repeat, recipe.Times) + recipe.After)
}
