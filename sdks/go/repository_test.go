//go:build repository

// Tests that read other files of the repository: go test -tags repository ./...

package ars

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestEveryOperationOfTheContractIsAMethod(t *testing.T) {
	text, err := os.ReadFile("../../packages/contract/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string          `json:"operationId"`
			Responses   json.RawMessage `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(WithoutAPIKey())
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for path, methods := range document.Paths {
		for method, operation := range methods {
			// Lines of JSON are a download; the client iterates over the list of the same things.
			isDownload := strings.Contains(string(operation.Responses), "application/jsonl")
			if operation.OperationID == "" || isDownload {
				continue
			}
			count++
			if !hasMethod(client, operation.OperationID) {
				t.Errorf("%s %s: there is no method %s", method, path, operation.OperationID)
			}
		}
	}
	if count < 70 {
		t.Errorf("the document has %d operations", count)
	}
}

func hasMethod(client *Client, operationID string) bool {
	resource, name, _ := strings.Cut(operationID, ".")
	isResource := func(field string) bool { return strings.EqualFold(field, resource) }
	target := reflect.ValueOf(client).Elem().FieldByNameFunc(isResource)
	if !target.IsValid() {
		return false
	}
	for n := range target.NumMethod() {
		if strings.EqualFold(target.Type().Method(n).Name, name) {
			return true
		}
	}
	return false
}
