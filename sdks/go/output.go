package ars

import "encoding/json"

// OutputText returns the text of the output, which is its field `result`; "" if that is no text.
func (v *Run) OutputText() string { return outputText(v.Output) }

// DecodeOutput decodes the output into a value, as json.Unmarshal does.
func (v *Run) DecodeOutput(into any) error { return decodeOutput(v.Output, into) }

// OutputText returns the text of the output, which is its field `result`; "" if that is no text.
func (v *BatchResult) OutputText() string { return outputText(v.Output) }

// DecodeOutput decodes the output into a value, as json.Unmarshal does.
func (v *BatchResult) DecodeOutput(into any) error { return decodeOutput(v.Output, into) }

func outputText(output map[string]any) string {
	text, _ := output["result"].(string)
	return text
}

func decodeOutput(output map[string]any, into any) error {
	data, err := encodeJSON(output)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
