// Package seen passes the data that a task's Plan has read to its Outputs, so that a host is
// not queried twice if there is nothing to do.
package seen

import "kinit/engine/module"

// Reading is the data that the last Plan of a task has read. The zero value is empty.
//
// The engine asks for outputs right after a plan without steps, so they are as fresh as the
// plan. A plan with steps is followed by changes, after which everything is read again.
type Reading[T any] struct {
	value T
	there bool
}

// After keeps a reading that led to no steps, and returns the steps.
func (r *Reading[T]) After(value T, steps []module.Step) []module.Step {
	*r = Reading[T]{}
	if len(steps) == 0 {
		*r = Reading[T]{value: value, there: true}
	}
	return steps
}

// Or returns the stored reading, once, or else the result of read.
func (r *Reading[T]) Or(read func() (T, error)) (T, error) {
	kept := *r
	*r = Reading[T]{}
	if kept.there {
		return kept.value, nil
	}
	return read()
}
