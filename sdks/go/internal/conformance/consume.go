package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	ars "github.com/agent-run-service/agent-run-service/sdks/go"
)

// consume takes what a method returned: an object and an error, an iterator, or a stream.
func consume(begun []reflect.Value, call call, seen outcome) error {
	switch call.Do {
	case "call":
		if err, failed := begun[1].Interface().(error); failed {
			return err
		}
		if !begun[0].IsNil() {
			seen["result"] = rawOf(begun[0])
		} else {
			seen["result"] = nil
		}
		return nil
	case "output_text":
		if err, failed := begun[1].Interface().(error); failed {
			return err
		}
		seen["text"] = nil
		if text := begun[0].Interface().(*ars.Run).OutputText(); text != "" {
			seen["text"] = text
		}
		return nil
	case "text":
		text, err := begun[0].Interface().(*ars.RunStream).Text()
		if err == nil {
			seen["text"] = text
		}
		return err
	case "final_run":
		run, err := begun[0].Interface().(*ars.RunStream).FinalRun()
		if err == nil {
			seen["result"] = run.RawJSON()
		}
		return err
	case "list":
		return iterate(begun[0], call.Take, func(items []json.RawMessage) { seen["items"] = items })
	case "stream":
		all := begun[0].MethodByName("All").Call(nil)[0]
		err := iterate(all, call.Take, func(items []json.RawMessage) { seen["frames"] = items })
		seen["last_event_id"] = begun[0].MethodByName("LastEventID").Call(nil)[0].String()
		return err
	}
	return fmt.Errorf("%s is unknown", call.Do)
}

func iterate(sequence reflect.Value, take *int, report func([]json.RawMessage)) error {
	items := []json.RawMessage{}
	defer func() { report(items) }()
	if take != nil && *take == 0 {
		return nil
	}
	for item, err := range sequence.Seq2() {
		if failure, failed := err.Interface().(error); failed {
			return failure
		}
		items = append(items, rawOf(item))
		if take != nil && len(items) == *take {
			break
		}
	}
	return nil
}

// rawOf is the JSON of an object as the SDK kept it.
func rawOf(object reflect.Value) json.RawMessage {
	if object.Kind() != reflect.Pointer {
		addressable := reflect.New(object.Type())
		addressable.Elem().Set(object)
		object = addressable
	}
	return object.Interface().(interface{ RawJSON() json.RawMessage }).RawJSON()
}
