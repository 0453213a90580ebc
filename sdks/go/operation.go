package ars

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// operation is an operation of the API as data.
type operation struct {
	method string
	path   string
	// isIdempotent says that the operation accepts an idempotency key.
	isIdempotent bool
	// canWait says that the operation can wait for a result.
	canWait bool
	// isAnonymous says that the operation is called without a credential.
	isAnonymous bool
	// resumesAt is the path that resumes the stream of a POST.
	resumesAt string
}

// invocation is one call of an operation.
type invocation struct {
	operation operation
	// ids are the values in the path, in its order.
	ids   []string
	query url.Values
	// body is nil for operations without one.
	body    any
	options []CallOption
}

// record calls an operation whose response is one object.
func record[T any](ctx context.Context, caller *caller, call invocation) (*T, error) {
	request, err := caller.prepare(call)
	if err != nil {
		return nil, err
	}
	result := new(T)
	if err := caller.read(ctx, request, result); err != nil {
		return nil, err
	}
	return result, nil
}

// The default wait of the service, and the extra time for the response.
const (
	defaultWait = 55 * time.Second
	beyondWait  = 15 * time.Second
)

// prepare makes the request of a logical call. Its idempotency key is created here, before the first attempt.
func (c *caller) prepare(call invocation) (*request, error) {
	path, err := pathOf(call.operation.path, call.ids)
	if err != nil {
		return nil, err
	}
	settings := callSettings{sharedSettings: c.shared}
	settings.headers = c.shared.headers.Clone()
	for _, option := range call.options {
		option.applyCall(&settings)
	}
	settings.timeout = timeoutOf(call.operation, settings)
	prepared := &request{
		method:       call.operation.method,
		path:         path + queryText(call.query),
		header:       http.Header{},
		isRepeatable: call.operation.method != http.MethodPost || call.operation.isIdempotent,
		isAnonymous:  call.operation.isAnonymous,
		settings:     settings,
	}
	if call.operation.isIdempotent {
		key := settings.idempotencyKey
		if key == "" {
			key = newIdempotencyKey()
		}
		prepared.header.Set("Idempotency-Key", key)
	}
	if call.operation.canWait && settings.wait != nil {
		prepared.header.Set("Prefer", preference(*settings.wait))
	}
	if call.body != nil {
		if prepared.body, err = encodeJSON(call.body); err != nil {
			return nil, fmt.Errorf("ars: %s: %w", prepared.op(), err)
		}
	}
	return prepared, nil
}

// encodeJSON leaves <, > and & as they are: the text of a prompt should arrive as it was written.
func encodeJSON(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

func preference(wait time.Duration) string {
	if wait <= 0 {
		return "respond-async"
	}
	return "wait=" + strconv.FormatFloat(wait.Seconds(), 'f', -1, 64)
}

// timeoutOf returns the timeout of an attempt. It covers at least the requested wait.
func timeoutOf(operation operation, settings callSettings) time.Duration {
	if settings.hasTimeout || !operation.canWait {
		return settings.timeout
	}
	wait := defaultWait
	if settings.wait != nil {
		wait = *settings.wait
	}
	if wait <= 0 {
		return settings.timeout
	}
	return max(settings.timeout, wait+beyondWait)
}

func newIdempotencyKey() string { return "ars-go-" + rand.Text() }

// pathOf fills in the ids. An empty id or a segment such as `..` would call another operation.
func pathOf(path string, ids []string) (string, error) {
	var result strings.Builder
	rest := path
	for _, id := range ids {
		before, after, _ := strings.Cut(rest, "{")
		name, after, _ := strings.Cut(after, "}")
		if id == "" || id == "." || id == ".." {
			return "", fmt.Errorf("ars: %s must be a non-empty id", name)
		}
		result.WriteString(before + url.PathEscape(id))
		rest = after
	}
	return result.String() + rest, nil
}

// optionalBody returns nil for no body, not a pointer that is nil.
func optionalBody[T any](params *T) any {
	if params == nil {
		return nil
	}
	return params
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }

func queryText(query url.Values) string {
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// queryOf writes a struct into a query, by the tags of its fields. A nil pointer has no parameters.
func queryOf[T any](params *T) url.Values {
	query := url.Values{}
	if params == nil {
		return query
	}
	fields := reflect.ValueOf(params).Elem()
	for n := range fields.NumField() {
		addQuery(query, fields.Type().Field(n).Tag.Get("query"), fields.Field(n).Interface())
	}
	return query
}

// addQuery adds a parameter unless it is nil. An object is sent as `name[key]=value`, a list with commas.
func addQuery(query url.Values, name string, value any) {
	given := reflect.ValueOf(value)
	switch given.Kind() {
	case reflect.Pointer:
		if !given.IsNil() {
			addQuery(query, name, given.Elem().Interface())
		}
	case reflect.Map:
		for _, key := range given.MapKeys() {
			query.Set(fmt.Sprintf("%s[%v]", name, key), queryValue(given.MapIndex(key).Interface()))
		}
	case reflect.Slice:
		if given.Len() == 0 {
			return
		}
		texts := make([]string, given.Len())
		for n := range texts {
			texts[n] = queryValue(given.Index(n).Interface())
		}
		query.Set(name, strings.Join(texts, ","))
	default:
		query.Set(name, queryValue(value))
	}
}

func queryValue(value any) string {
	if date, isDate := value.(time.Time); isDate {
		return date.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}
