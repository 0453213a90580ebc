package ars

import (
	"net/http"
	"strings"
	"testing"
)

func pages(response http.ResponseWriter, request seenRequest, _ int) {
	page := map[string]any{"object": "list", "has_more": true, "first_id": "run_1", "last_id": "run_2",
		"data": []any{map[string]any{"id": "run_1"}, map[string]any{"id": "run_2"}}}
	if strings.Contains(request.url, "run_") {
		page = map[string]any{"object": "list", "has_more": false, "first_id": "run_3", "last_id": "run_3",
			"data": []any{map[string]any{"id": "run_3"}}}
	}
	answerJSON(response, http.StatusOK, page)
}

func TestAListYieldsTheItemsOfAllPages(t *testing.T) {
	service := startService(t, pages)
	var ids []string
	for run, err := range service.client.Runs.List(t.Context(), &RunsListParams{Limit: Ptr(int64(2))}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.ID)
	}
	equal(t, strings.Join(ids, " "), "run_1 run_2 run_3")
	equal(t, service.requests()[1].url, "/v2/runs?after=run_2&limit=2")
}

func TestAListGoesBackwardsIfItBeganSo(t *testing.T) {
	service := startService(t, pages)
	page, err := service.client.Runs.ListPage(t.Context(), &RunsListParams{Before: Ptr("x")})
	if err != nil {
		t.Fatal(err)
	}
	if page, err = page.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, service.requests()[1].url, "/v2/runs?before=run_1")
	if page, err = page.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, page == nil, true)
}

func TestALoopThatIsLeftAsksForNoFurtherPage(t *testing.T) {
	service := startService(t, pages)
	for range service.client.Runs.List(t.Context(), nil) {
		break
	}
	equal(t, len(service.requests()), 1)
}

func TestAnErrorEndsAList(t *testing.T) {
	service := startService(t, func(response http.ResponseWriter, request seenRequest, n int) {
		if n == 2 {
			answerJSON(response, http.StatusForbidden, refusal("forbidden"))
			return
		}
		pages(response, request, n)
	})
	count, failures := 0, 0
	for _, err := range service.client.Runs.List(t.Context(), nil) {
		if err != nil {
			failures++
		} else {
			count++
		}
	}
	equal(t, count, 2)
	equal(t, failures, 1)
}
