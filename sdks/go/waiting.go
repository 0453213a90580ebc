package ars

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// CreateAndWait creates a run and waits until it has ended, however long it takes, or until it waits for a person: then
// its Status is requires_action. A run that failed is no error. The context limits the wait.
func (r *RunsResource) CreateAndWait(ctx context.Context, params CreateRun, options ...CallOption) (*Run, error) {
	run, err := r.Create(ctx, params, options...)
	if err != nil || isEndedStatus(string(run.Status)) || run.Status == RunStatusRequiresAction {
		return run, err
	}
	return r.Wait(ctx, run.ID, options...)
}

// Wait waits for an existing run in the same way, for example after an approval.
func (r *RunsResource) Wait(ctx context.Context, id string, options ...CallOption) (*Run, error) {
	stream := r.Watch(ctx, id, &RunsWatchParams{Deltas: Ptr(RunsWatchDeltasFalse)}, options...)
	for frame, err := range stream.All() {
		if err != nil {
			return nil, err
		}
		if frame.Type != "run.requires_action" {
			continue
		}
		// The stream begins with the first frame, so the question may be answered already.
		run, err := r.Get(ctx, id, options...)
		if err != nil || run.Status == RunStatusRequiresAction {
			return run, err
		}
	}
	return stream.FinalRun()
}

const (
	firstBatchPause = 500 * time.Millisecond
	maxBatchPause   = 5 * time.Second
	resultsPerPage  = 100
)

// CreateAndWait creates a batch and waits until it has ended. The context limits the wait.
func (r *BatchesResource) CreateAndWait(ctx context.Context, params CreateBatch, options ...CallOption) (*Batch, error) {
	batch, err := r.Create(ctx, params, options...)
	if err != nil {
		return nil, err
	}
	return r.untilEnded(ctx, batch, options)
}

// Wait waits until a batch has ended. It reads the batch after 0.5 s, and then at growing intervals of at most 5 s.
func (r *BatchesResource) Wait(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	batch, err := r.Get(ctx, id, options...)
	if err != nil {
		return nil, err
	}
	return r.untilEnded(ctx, batch, options)
}

func (r *BatchesResource) untilEnded(ctx context.Context, batch *Batch, options []CallOption) (*Batch, error) {
	for pause := firstBatchPause; batch.FinishedAt == nil; pause = min(2*pause, maxBatchPause) {
		if err := r.caller.clock.sleep(ctx, pause); err != nil {
			return nil, err
		}
		var err error
		if batch, err = r.Get(ctx, batch.ID, options...); err != nil {
			return nil, err
		}
	}
	return batch, nil
}

// BatchesRetryFailedParams are the parameters of Batches.RetryFailed.
type BatchesRetryFailedParams struct {
	// The items of the first batch.
	Items []BatchItem `json:"items"`
}

// RetryFailed creates a batch of the items that have failed, with the agent, the metadata and the timeout of the first
// one. It returns nil if no item has failed. Pass the items of the first batch, because the service does not keep them.
// They are found by CustomID, and those without one by their place.
func (r *BatchesResource) RetryFailed(
	ctx context.Context, id string, params BatchesRetryFailedParams, options ...CallOption,
) (*Batch, error) {
	batch, err := r.Get(ctx, id, options...)
	if err != nil {
		return nil, err
	}
	find := batchItemFinder(params.Items)
	var failed []BatchItem
	for result, err := range r.Results(ctx, id, &BatchesResultsParams{Limit: Ptr(int64(resultsPerPage))}, options...) {
		if err != nil {
			return nil, err
		}
		if result.Status != BatchItemStatusFailed {
			continue
		}
		item, err := find(result)
		if err != nil {
			return nil, err
		}
		failed = append(failed, item)
	}
	if len(failed) == 0 {
		return nil, nil
	}
	again := CreateBatch{AgentID: batch.AgentID, Items: failed, Metadata: batch.Metadata, TimeoutSeconds: batch.TimeoutSeconds}
	return r.Create(ctx, again, options...)
}

// batchItemFinder finds the item of a result.
func batchItemFinder(items []BatchItem) func(*BatchResult) (BatchItem, error) {
	byID := map[string]BatchItem{}
	for _, item := range items {
		if item.CustomID != nil {
			byID[*item.CustomID] = item
		}
	}
	return func(result *BatchResult) (BatchItem, error) {
		if result.CustomID != nil {
			if item, isKnown := byID[*result.CustomID]; isKnown {
				return item, nil
			}
			return BatchItem{}, fmt.Errorf("ars: Items has no item %s", *result.CustomID)
		}
		place, err := strconv.Atoi(result.ID)
		if err != nil || place >= len(items) {
			return BatchItem{}, fmt.Errorf("ars: Items has no item %s", result.ID)
		}
		return items[place], nil
	}
}
