package module

import "context"

// step is a Step made of a text and a function.
type step struct {
	text string
	do   func(ctx context.Context, h Host) error
}

// NewStep returns a step that shows the text and runs the function.
func NewStep(text string, do func(ctx context.Context, h Host) error) Step {
	return step{text: text, do: do}
}

func (s step) String() string                       { return s.text }
func (s step) Do(ctx context.Context, h Host) error { return s.do(ctx, h) }
