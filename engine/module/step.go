package module

import "context"

// step is a Step made of a text and a function.
type step struct {
	text  string
	do    func(ctx context.Context, h Host) error
	waits bool
}

// NewStep returns a step that shows the text and runs the function.
func NewStep(text string, do func(ctx context.Context, h Host) error) Step {
	return step{text: text, do: do}
}

// OneStep returns a plan of one step, made by NewStep.
func OneStep(text string, do func(ctx context.Context, h Host) error) []Step {
	return []Step{NewStep(text, do)}
}

// NewWait returns a step that shows the text and runs the function, which changes nothing:
// it returns when the host has the wanted state.
func NewWait(text string, do func(ctx context.Context, h Host) error) Step {
	return step{text: text, do: do, waits: true}
}

// Changes reports whether one of the steps does more than wait.
func Changes(steps []Step) bool {
	for _, s := range steps {
		if w, ok := s.(Waiter); !ok || !w.Waits() {
			return true
		}
	}
	return false
}

func (s step) String() string                       { return s.text }
func (s step) Do(ctx context.Context, h Host) error { return s.do(ctx, h) }
func (s step) Waits() bool                          { return s.waits }
