module github.com/agent-run-service/sdk-go/v2

go 1.24.0
