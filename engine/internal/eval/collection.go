package eval

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"kinit/engine/lists"
)

// length is stdlib's length, which also counts letters and attributes.
var length = function.New(&function.Spec{
	Description: "Returns how many elements a collection has, or how many letters a text has.",
	Params:      []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true, AllowUnknown: true, AllowMarked: true}},
	Type:        function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		value, marks := args[0].Unmark() // marks inside of the value do not matter
		n, err := count(value)
		return n.WithMarks(marks), err
	},
})

func count(value cty.Value) (cty.Value, error) {
	t := value.Type()
	switch {
	case t == cty.DynamicPseudoType:
		return cty.UnknownVal(cty.Number), nil
	case t == cty.String:
		return stdlib.Strlen(value)
	case t.IsObjectType():
		return cty.NumberIntVal(int64(len(t.AttributeTypes()))), nil
	case t.IsTupleType():
		return cty.NumberIntVal(int64(t.Length())), nil
	case t.IsCollectionType():
		return value.Length(), nil
	}
	return cty.Zero, errors.New("give a list, set, map, object or text")
}

// lookup takes its default as a third argument, or fails for a missing key.
var lookup = function.New(&function.Spec{
	Description: "Returns the element of a map or object with a key, or the default where there is none.",
	Params:      []function.Parameter{{Name: "map", Type: cty.DynamicPseudoType, AllowDynamicType: true, AllowMarked: true}, {Name: "key", Type: cty.String}},
	VarParam:    &function.Parameter{Name: "default", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true, AllowMarked: true},
	Type: func(args []cty.Value) (cty.Type, error) {
		if len(args) > 3 {
			return cty.NilType, errors.New("lookup has at most three arguments: map, key and default")
		}
		return cty.DynamicPseudoType, nil
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		from, marks := args[0].Unmark() // marks of other elements do not matter
		key := args[1].AsString()
		switch t := from.Type(); {
		case t.IsObjectType():
			if t.HasAttribute(key) {
				return from.GetAttr(key).WithMarks(marks), nil
			}
		case t.IsMapType():
			if from.HasIndex(args[1]).True() {
				return from.Index(args[1]).WithMarks(marks), nil
			}
		default:
			return cty.NilVal, function.NewArgErrorf(0, "give a map or object")
		}
		if len(args) < 3 {
			return cty.NilVal, fmt.Errorf("there is no key %q, and no default is given", key)
		}
		return args[2].WithMarks(marks), nil
	},
})

// coalesce skips empty texts too, as in Terraform.
var coalesce = function.New(&function.Spec{
	Description: "Returns the first of the arguments that is neither null nor an empty text.",
	VarParam:    &function.Parameter{Name: "values", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true},
	Type: func(args []cty.Value) (cty.Type, error) {
		types := lists.Map(args, cty.Value.Type)
		result, _ := convert.UnifyUnsafe(types)
		if result == cty.NilType {
			return cty.NilType, errors.New("all arguments must have the same type")
		}
		return result, nil
	},
	Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
		for _, arg := range args {
			value, err := convert.Convert(arg, result)
			if err != nil {
				return cty.NilVal, err
			}
			if !value.IsKnown() {
				return cty.UnknownVal(result), nil
			}
			if value.IsNull() || value.RawEquals(cty.StringVal("")) {
				continue
			}
			return value, nil
		}
		return cty.NilVal, errors.New("every argument is null or an empty text")
	},
})

// one converts a list of at most one element to the element or null.
var one = function.New(&function.Spec{
	Description: "Returns the only element of a collection, or null for an empty one.",
	Params:      []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType, AllowDynamicType: true}},
	Type: func(args []cty.Value) (cty.Type, error) {
		t := args[0].Type()
		switch {
		case t.IsListType(), t.IsSetType():
			return t.ElementType(), nil
		case t.IsTupleType() && t.Length() == 1:
			return t.TupleElementType(0), nil
		}
		return cty.DynamicPseudoType, nil
	},
	Impl: func(args []cty.Value, result cty.Type) (cty.Value, error) {
		t := args[0].Type()
		if !t.IsListType() && !t.IsSetType() && !t.IsTupleType() {
			return cty.NilVal, function.NewArgErrorf(0, "give a list or set")
		}
		elements := args[0].AsValueSlice()
		switch len(elements) {
		case 0:
			return cty.NullVal(result), nil
		case 1:
			return elements[0], nil
		}
		return cty.NilVal, fmt.Errorf("there are %d elements, and at most one is allowed", len(elements))
	},
})

var sum = function.New(&function.Spec{
	Description: "Returns the sum of a list of numbers, 0 for an empty one.",
	Params:      []function.Parameter{{Name: "list", Type: cty.List(cty.Number)}},
	Type:        function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		total := cty.Zero
		for _, element := range args[0].AsValueSlice() {
			if element.IsNull() {
				return cty.NilVal, function.NewArgErrorf(0, "the list has a null")
			}
			total = total.Add(element)
		}
		return total, nil
	},
})

var (
	allTrue = truths("Tells whether all elements are true; so it is for an empty list.", true)
	anyTrue = truths("Tells whether one element is true.", false)
)

// truths makes a function that returns start unless an element is its opposite.
func truths(about string, start bool) function.Function {
	return function.New(&function.Spec{
		Description: about,
		Params:      []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:        function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for _, element := range args[0].AsValueSlice() {
				if !element.IsKnown() {
					return cty.UnknownVal(cty.Bool), nil
				}
				if !element.IsNull() && element.True() != start {
					return cty.BoolVal(!start), nil
				}
			}
			return cty.BoolVal(start), nil
		},
	})
}
