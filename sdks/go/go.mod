module github.com/agent-run-service/sdk-go

go 1.24.0
