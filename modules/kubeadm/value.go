package kubeadm

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

// toObject turns the value of an argument into a mapping; no value is an empty
// one.
func toObject(argument string, value cty.Value) (object, error) {
	if value == cty.NilVal || value.IsNull() {
		return object{}, nil
	}
	converted, err := toAny(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", argument, err)
	}
	fields, ok := converted.(object)
	if !ok {
		return nil, fmt.Errorf("%s is %s, expected an object", argument, value.Type().FriendlyName())
	}
	return fields, nil
}

// toAny turns a value into Go types for YAML. Whole numbers remain integers: as
// floating point numbers, large ones would be written with an exponent.
func toAny(value cty.Value) (any, error) {
	switch kind := value.Type(); {
	case !value.IsKnown():
		return nil, fmt.Errorf("a value is not known yet")
	case value.IsNull():
		return nil, nil
	case kind == cty.String:
		return value.AsString(), nil
	case kind == cty.Bool:
		return value.True(), nil
	case kind == cty.Number:
		return number(value), nil
	case kind.IsObjectType() || kind.IsMapType():
		return toMap(value)
	case kind.IsTupleType() || kind.IsListType() || kind.IsSetType():
		return toList(value)
	default:
		return nil, fmt.Errorf("a value is %s, which YAML has not", kind.FriendlyName())
	}
}

func number(value cty.Value) any {
	float := value.AsBigFloat()
	if whole, accuracy := float.Int64(); accuracy == 0 {
		return whole
	}
	near, _ := float.Float64()
	return near
}

func toMap(value cty.Value) (any, error) {
	fields := object{}
	for name, below := range value.AsValueMap() {
		converted, err := toAny(below)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fields[name] = converted
	}
	return fields, nil
}

func toList(value cty.Value) (any, error) {
	list := make([]any, 0, value.LengthInt())
	for i, below := range value.AsValueSlice() {
		converted, err := toAny(below)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		list = append(list, converted)
	}
	return list, nil
}
