package job

import "encoding/json"

// Maybe is a value that may be unknown. Unknown is never zero: it is null in
// JSON, blank on screen, and takes part in no calculation. The zero Maybe is
// unknown.
type Maybe[T any] struct {
	value T
	known bool
}

// Known makes a Maybe that holds v.
func Known[T any](v T) Maybe[T] { return Maybe[T]{value: v, known: true} }

// Get gives the value and whether it is known.
func (m Maybe[T]) Get() (T, bool) { return m.value, m.known }

// Known tells whether there is a value.
func (m Maybe[T]) Known() bool { return m.known }

// Or gives the value, or other when it is unknown.
func (m Maybe[T]) Or(other T) T {
	if m.known {
		return m.value
	}
	return other
}

// IsZero makes `omitzero` leave out what is unknown.
func (m Maybe[T]) IsZero() bool { return !m.known }

// MarshalJSON writes the value, or null when it is unknown.
func (m Maybe[T]) MarshalJSON() ([]byte, error) {
	if !m.known {
		return []byte("null"), nil
	}
	return json.Marshal(m.value)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (m *Maybe[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*m = Maybe[T]{}
		return nil
	}
	if err := json.Unmarshal(b, &m.value); err != nil {
		return err
	}
	m.known = true
	return nil
}
