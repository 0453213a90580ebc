package ars

import "encoding/json"

// Ptr returns a pointer to a value, for optional fields: ars.Ptr(30).
func Ptr[T any](value T) *T { return &value }

// Optional is a field of a request that can be absent, null or a value. The zero value is absent. Where null means
// something else, such as "clear this field", use Null.
type Optional[T any] struct {
	value T
	state optionalState
}

type optionalState uint8

const (
	optionalAbsent optionalState = iota
	optionalNull
	optionalValue
)

// Value returns an Optional that holds a value.
func Value[T any](value T) Optional[T] { return Optional[T]{value: value, state: optionalValue} }

// Null returns an Optional that is sent as null.
func Null[T any]() Optional[T] { return Optional[T]{state: optionalNull} }

// IsZero reports whether the field is absent. encoding/json omits it then.
func (o Optional[T]) IsZero() bool { return o.state == optionalAbsent }

// Get returns the value, and false if the field is absent or null.
func (o Optional[T]) Get() (T, bool) { return o.value, o.state == optionalValue }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != optionalValue {
		return []byte("null"), nil
	}
	return encodeJSON(o.value)
}

// UnmarshalJSON reads the value or null.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*o = Null[T]()
		return nil
	}
	o.state = optionalValue
	return json.Unmarshal(data, &o.value)
}
