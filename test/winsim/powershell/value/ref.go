package value

// Ref is a [ref], a variable that a method can set.
type Ref struct {
	Get func() any
	Set func(v any) error
}
