package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

// invoke calls the method of an operation, which it finds by name: `apiKeys.list` is client.APIKeys.List.
func invoke(ctx context.Context, client *ars.Client, call call) ([]reflect.Value, error) {
	resource, name, _ := strings.Cut(call.Operation, ".")
	isResource := func(field string) bool { return strings.EqualFold(field, resource) }
	target := reflect.ValueOf(client).Elem().FieldByNameFunc(isResource)
	if !target.IsValid() {
		return nil, fmt.Errorf("no resource %s", resource)
	}
	for n := range target.NumMethod() {
		if strings.EqualFold(target.Type().Method(n).Name, name) {
			arguments, err := argumentsOf(ctx, target.Method(n).Type(), call)
			if err != nil {
				return nil, err
			}
			return target.Method(n).CallSlice(arguments), nil
		}
	}
	return nil, fmt.Errorf("no operation %s", call.Operation)
}

// argumentsOf are the context, the path parameters, the other parameters and the options.
func argumentsOf(ctx context.Context, method reflect.Type, call call) ([]reflect.Value, error) {
	arguments := []reflect.Value{reflect.ValueOf(ctx)}
	for n, id := range call.Path {
		given := fmt.Sprint(id)
		if method.In(n+1).Kind() == reflect.Int64 {
			number, err := strconv.ParseInt(given, 10, 64)
			if err != nil {
				return nil, err
			}
			arguments = append(arguments, reflect.ValueOf(number))
		} else {
			arguments = append(arguments, reflect.ValueOf(given))
		}
	}
	if len(arguments) < method.NumIn()-1 {
		params, err := paramsOf(method.In(len(arguments)), call)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, params)
	}
	return append(arguments, reflect.ValueOf(call.Options.forCall())), nil
}

func paramsOf(wanted reflect.Type, call call) (reflect.Value, error) {
	isPointer := wanted.Kind() == reflect.Pointer
	if isPointer && call.Body == nil && call.Query == nil {
		return reflect.Zero(wanted), nil
	}
	form := wanted
	if isPointer {
		form = wanted.Elem()
	}
	params := reflect.New(form)
	if call.Body != nil {
		if err := json.Unmarshal(call.Body, params.Interface()); err != nil {
			return params, err
		}
	}
	for n := range form.NumField() {
		value, isGiven := call.Query[form.Field(n).Tag.Get("query")]
		if !isGiven {
			continue
		}
		if err := decode(value, params.Elem().Field(n)); err != nil {
			return params, err
		}
	}
	if isPointer {
		return params, nil
	}
	return params.Elem(), nil
}

// decode reads a parameter. A list of one can be written as its only item.
func decode(value json.RawMessage, field reflect.Value) error {
	if field.Kind() == reflect.Slice && !strings.HasPrefix(string(value), "[") {
		value = json.RawMessage("[" + string(value) + "]")
	}
	return json.Unmarshal(value, field.Addr().Interface())
}
