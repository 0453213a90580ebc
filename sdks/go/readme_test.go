package ars_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var codeBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The examples are executed, so that the code of the README is, too.
func TestTheCodeOfTheReadmeIsThatOfTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := codeBlock.FindAllStringSubmatch(string(readme), -1)
	if len(blocks) != 10 {
		t.Errorf("the README has %d blocks of Go, one for each of the ten tasks", len(blocks))
	}
	for _, block := range blocks {
		indented := "\t" + strings.ReplaceAll(strings.TrimSpace(block[1]), "\n", "\n\t")
		if !strings.Contains(string(examples), strings.ReplaceAll(indented, "\n\t\n", "\n\n")) {
			t.Errorf("no example contains this block:\n%s", block[1])
		}
	}
}

func TestTheModulePathOfTheReadmeIsThatOfTheModule(t *testing.T) {
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(string(module), "module "), "\n")
	if !strings.Contains(string(readme), "go get "+path+"\n") {
		t.Errorf("the README does not install %s", path)
	}
}
