package eval

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"kinit/engine/lists"
)

// uniform makes a function treat a tuple of elements of one type as a list. For a tuple,
// cty compares the types of all pairs of elements, which is slow for the names of a
// thousand nodes.
func uniform(f function.Function) function.Function {
	kinds := lists.Map(f.Params(), func(p function.Parameter) cty.Type { return p.Type })
	arguments := func(args []cty.Value) ([]cty.Value, error) {
		all := make([]cty.Value, len(args))
		for i, arg := range args {
			var kind cty.Type
			if i < len(kinds) {
				kind = kinds[i]
			} else {
				kind = f.VarParam().Type
			}
			var err error
			if all[i], err = Convert(asList(arg), kind); err != nil {
				return nil, function.NewArgError(i, err)
			}
		}
		return all, nil
	}
	spec := like(f, func(p function.Parameter) function.Parameter {
		p.Type = cty.DynamicPseudoType
		return p
	})
	spec.Type = func(args []cty.Value) (cty.Type, error) {
		args, err := arguments(args)
		if err != nil {
			return cty.NilType, err
		}
		return f.ReturnTypeForValues(args)
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		args, err := arguments(args)
		if err != nil {
			return cty.NilVal, err
		}
		return f.Call(args)
	}
	return function.New(spec)
}

// like returns the description of a function, with each parameter changed.
func like(f function.Function, changed func(function.Parameter) function.Parameter) *function.Spec {
	spec := &function.Spec{Description: f.Description(), Params: lists.Map(f.Params(), changed)}
	if p := f.VarParam(); p != nil {
		more := changed(*p)
		spec.VarParam = &more
	}
	return spec
}

// Convert converts a value to a type. It is fast for large tuples of one type that become a
// list or set.
func Convert(value cty.Value, kind cty.Type) (cty.Value, error) {
	if kind.IsListType() || kind.IsSetType() {
		value = asList(value)
	}
	return convert.Convert(value, kind)
}

// asList converts a tuple of elements of one type to a list. It returns other values
// unchanged.
func asList(value cty.Value) cty.Value {
	if value.IsMarked() || !value.Type().IsTupleType() || !value.IsKnown() || value.IsNull() || value.LengthInt() == 0 {
		return value
	}
	types := value.Type().TupleElementTypes()
	for _, t := range types {
		if t == cty.DynamicPseudoType || !t.Equals(types[0]) {
			return value
		}
	}
	return cty.ListVal(value.AsValueSlice())
}

// distinct is the standard library's function, but fast for texts.
var distinct = function.New(&function.Spec{
	Description: stdlib.DistinctFunc.Description(),
	Params:      stdlib.DistinctFunc.Params(),
	Type:        func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
	Impl: func(args []cty.Value, kind cty.Type) (cty.Value, error) {
		if kind.ElementType() != cty.String || !args[0].IsWhollyKnown() {
			return stdlib.Distinct(args[0])
		}
		var all []cty.Value
		seen := map[cty.Value]bool{} // of texts, which are comparable
		for _, element := range args[0].AsValueSlice() {
			if !seen[element] {
				seen[element] = true
				all = append(all, element)
			}
		}
		if len(all) == 0 {
			return cty.ListValEmpty(cty.String), nil
		}
		return cty.ListVal(all), nil
	},
})
