package life

import "context"

// Kept is a value that is made when first needed, and again after it was dropped. The zero
// value counts as none. It is safe for use by several goroutines.
type Kept[T comparable] struct {
	making chan struct{} // holds a token while the value is checked or made
	value  T
}

// NewKept returns one without a value.
func NewKept[T comparable]() *Kept[T] { return &Kept[T]{making: make(chan struct{}, 1)} }

// Get returns the value, or makes it.
func (k *Kept[T]) Get(ctx context.Context, make func() (T, error)) (T, error) {
	var none T
	select {
	case k.making <- struct{}{}:
		defer func() { <-k.making }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	if k.value != none {
		return k.value, nil
	}
	made, err := make()
	if err == nil {
		k.value = made
	}
	return made, err
}

// Forget drops a value, so that the next one is new. If ctx ends first, it remains, and its
// next user detects again that it has ended.
func (k *Kept[T]) Forget(ctx context.Context, value T) {
	select {
	case k.making <- struct{}{}:
		defer func() { <-k.making }()
	case <-ctx.Done():
		return
	}
	if k.value == value {
		var none T
		k.value = none
	}
}

// Close drops the value and ends it, if there is one.
func (k *Kept[T]) Close(end func(T)) {
	k.making <- struct{}{}
	defer func() { <-k.making }()
	var none T
	if k.value != none {
		end(k.value)
		k.value = none
	}
}
