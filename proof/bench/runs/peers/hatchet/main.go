// The work of the bench on Hatchet: a workflow of two steps, each a constant-time function.
//
// With the argument "setup" this program makes what "hatchet-admin quickstart" makes, keys, the first tenant and a token,
// without its dependencies, which take most of the build. With "worker" it executes the steps. With "caller" it is a backend
// that uses Hatchet: it takes HTTP requests, starts a run of the workflow through the SDK and answers when the run has ended.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/hatchet-dev/hatchet/cmd/hatchet-admin/cli/seed"
	"github.com/hatchet-dev/hatchet/pkg/client/create"
	"github.com/hatchet-dev/hatchet/pkg/cmdutils"
	"github.com/hatchet-dev/hatchet/pkg/config/loader"
	"github.com/hatchet-dev/hatchet/pkg/config/server"
	"github.com/hatchet-dev/hatchet/pkg/encryption"
	v1 "github.com/hatchet-dev/hatchet/pkg/v1"
	"github.com/hatchet-dev/hatchet/pkg/v1/factory"
	v1worker "github.com/hatchet-dev/hatchet/pkg/v1/worker"
	"github.com/hatchet-dev/hatchet/pkg/v1/workflow"
	"github.com/hatchet-dev/hatchet/pkg/worker"
)

type input struct {
	Key     string `json:"key"`
	DelayMs int    `json:"delay_ms"`
}

type stepOutput struct {
	Steps  int    `json:"steps"`
	Result string `json:"result"`
}

type output struct {
	First  stepOutput `json:"first"`
	Second stepOutput `json:"second"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: peer setup | worker | caller")
	}
	if os.Args[1] == "setup" {
		if err := setUp(); err != nil {
			log.Fatal(err)
		}
		return
	}
	hatchet, err := v1.NewHatchetClient()
	if err != nil {
		log.Fatal(err)
	}
	twoSteps := declare(hatchet)
	switch os.Args[1] {
	case "worker":
		work(hatchet, twoSteps)
	case "caller":
		call(twoSteps)
	default:
		log.Fatalf("unknown argument %s", os.Args[1])
	}
}

// setUp prints the environment that the engine and the clients need, as a line of JSON.
func setUp() error {
	master, private, public, err := encryption.GenerateLocalKeys()
	if err != nil {
		return err
	}
	made := map[string]string{
		"SERVER_ENCRYPTION_MASTER_KEYSET":      string(master),
		"SERVER_ENCRYPTION_JWT_PRIVATE_KEYSET": string(private),
		"SERVER_ENCRYPTION_JWT_PUBLIC_KEYSET":  string(public),
	}
	for name, value := range made {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	config := loader.NewConfigLoader("")
	layer, err := config.InitDataLayer()
	if err != nil {
		return err
	}
	defer layer.Disconnect()
	if err := seed.SeedDatabase(layer); err != nil {
		return err
	}
	cleanup, running, err := config.CreateServerFromConfig("", func(file *server.ServerConfigFile) {
		file.MessageQueue.Enabled = false
	})
	if err != nil {
		return err
	}
	defer cleanup()
	expiresAt := time.Now().UTC().Add(24 * time.Hour)
	token, err := running.Auth.JWTManager.GenerateTenantToken(
		context.Background(), running.Seed.DefaultTenantID, "bench", false, &expiresAt,
	)
	if err != nil {
		return err
	}
	made["HATCHET_CLIENT_TOKEN"] = token.Token
	return json.NewEncoder(os.Stdout).Encode(made)
}

func declare(hatchet v1.HatchetClient) workflow.WorkflowDeclaration[input, output] {
	twoSteps := factory.NewWorkflow[input, output](create.WorkflowCreateOpts[input]{Name: "two-steps"}, hatchet)
	first := twoSteps.Task(
		create.WorkflowTask[input, output]{Name: "first"},
		func(_ worker.HatchetContext, in input) (interface{}, error) {
			return &stepOutput{Steps: 1}, step(in, 1)
		},
	)
	twoSteps.Task(
		create.WorkflowTask[input, output]{Name: "second", Parents: []create.NamedTask{first}},
		func(_ worker.HatchetContext, in input) (interface{}, error) {
			return &stepOutput{Steps: 2, Result: "2 steps done"}, step(in, 2)
		},
	)
	return twoSteps
}

// step notes that the step began, if the run is one of the recovery, and waits.
func step(in input, number int) error {
	if in.DelayMs == 0 {
		return nil
	}
	file, err := os.OpenFile(os.Getenv("PEER_STEP_LOG"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "%s %d\n", in.Key, number); err != nil {
		return err
	}
	time.Sleep(time.Duration(in.DelayMs) * time.Millisecond)
	return nil
}

func work(hatchet v1.HatchetClient, twoSteps workflow.WorkflowDeclaration[input, output]) {
	made, err := hatchet.Worker(v1worker.WorkerOpts{Name: "bench", Workflows: []workflow.WorkflowBase{twoSteps}})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := cmdutils.NewInterruptContext()
	defer cancel()
	if err := made.StartBlocking(ctx); err != nil {
		log.Fatal(err)
	}
}

func call(twoSteps workflow.WorkflowDeclaration[input, output]) {
	var ended sync.Map
	// Starts a run and answers when it has ended.
	http.HandleFunc("POST /runs/wait", func(response http.ResponseWriter, request *http.Request) {
		var in input
		if err := json.NewDecoder(request.Body).Decode(&in); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := twoSteps.Run(request.Context(), in)
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		response.Header().Set("content-type", "application/json")
		_ = json.NewEncoder(response).Encode(out)
	})
	// Starts a run and answers at once. GET /runs/{key} tells how it ended.
	http.HandleFunc("POST /runs", func(response http.ResponseWriter, request *http.Request) {
		var in input
		if err := json.NewDecoder(request.Body).Decode(&in); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		run, err := twoSteps.RunNoWait(request.Context(), in)
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		go func() {
			result, err := run.Result()
			if err == nil {
				_, err = result.Results()
			}
			if err != nil {
				ended.Store(in.Key, "failed: "+err.Error())
				return
			}
			ended.Store(in.Key, "completed")
		}()
		response.WriteHeader(http.StatusOK)
	})
	http.HandleFunc("GET /runs/{key}", func(response http.ResponseWriter, request *http.Request) {
		status, found := ended.Load(request.PathValue("key"))
		if !found {
			status = "running"
		}
		fmt.Fprint(response, status)
	})
	http.HandleFunc("GET /ok", func(response http.ResponseWriter, _ *http.Request) { response.WriteHeader(http.StatusOK) })
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PEER_PORT"), nil))
}
