package ars

import (
	"bytes"
	"encoding/json"
)

// unmarshalKeeping decodes an object and keeps a copy of its JSON, so that fields that the SDK does not know are not
// lost.
func unmarshalKeeping(data []byte, object any, raw *json.RawMessage) error {
	*raw = bytes.Clone(data)
	return json.Unmarshal(data, object)
}

func marshalKept(raw json.RawMessage, variant any) ([]byte, error) {
	if raw != nil {
		return raw, nil
	}
	return json.Marshal(variant)
}
