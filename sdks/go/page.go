package ars

import (
	"context"
	"iter"
	"maps"
	"net/url"
)

// Page is one page of a list.
type Page[T any] struct {
	// Data holds the items of this page.
	Data []T `json:"data"`
	// HasMore reports whether more items follow in the direction of the request.
	HasMore bool `json:"has_more"`
	// FirstID is the first id of this page. Send it as `before` for newer items.
	FirstID *string `json:"first_id"`
	// LastID is the last id of this page. Send it as `after` for older items.
	LastID *string `json:"last_id"`

	next func(ctx context.Context) (*Page[T], error)
}

// Next returns the next page, and nil after the last one.
func (p *Page[T]) Next(ctx context.Context) (*Page[T], error) {
	if !p.HasMore || p.next == nil {
		return nil, nil
	}
	return p.next(ctx)
}

// page calls an operation whose response is a list, and returns its first page.
func page[T any](ctx context.Context, caller *caller, call invocation) (*Page[T], error) {
	result, err := record[Page[T]](ctx, caller, call)
	if err != nil {
		return nil, err
	}
	// Pages continue in the direction of the first request.
	cursor, id := "after", result.LastID
	if call.query.Has("before") && !call.query.Has("after") {
		cursor, id = "before", result.FirstID
	}
	if id == nil {
		return result, nil
	}
	result.next = func(ctx context.Context) (*Page[T], error) {
		following := call
		following.query = url.Values{}
		maps.Copy(following.query, call.query)
		following.query.Set(cursor, *id)
		return page[T](ctx, caller, following)
	}
	return result, nil
}

// list calls an operation whose response is a list, and iterates over the items of all pages. An error ends it.
func list[T any](ctx context.Context, caller *caller, call invocation) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		current, err := page[T](ctx, caller, call)
		for {
			if err != nil {
				yield(nil, err)
				return
			}
			if current == nil {
				return
			}
			for n := range current.Data {
				if !yield(&current.Data[n], nil) {
					return
				}
			}
			current, err = current.Next(ctx)
		}
	}
}
