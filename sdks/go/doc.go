// Package ars is the Go client of Agent Run Service. It needs nothing but the standard library.
//
//	client, err := ars.NewClient() // reads ARS_API_KEY and ARS_BASE_URL
//	run, err := client.Runs.Create(ctx, ars.CreateRun{AgentID: "ag_…", Input: map[string]any{"query": "Hello"}})
//
// Every method takes a context first and options last. Lists are iterators over all pages, and streams resume after a
// disconnect. A response with an unsuccessful status is an *Error; no response at all is a *ConnectionError.
//
// Fields of responses that can be null are pointers, maps or slices. Optional fields of requests are omitted when they
// are nil; use Ptr for them, and Value or Null where null has a meaning. Values of enumerations and fields that this
// version does not know are kept: see RawJSON.
package ars
