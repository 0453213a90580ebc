module github.com/agent-run-service/agent-run-service/sdks/go

go 1.24.0
