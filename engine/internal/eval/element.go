package eval

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
)

// Element is one element of a for_each.
type Element struct {
	Key   string
	Value cty.Value
}

// Each returns the value of each for the element. outer is the each of the loop around it, or
// cty.NilVal.
func (e Element) Each(outer cty.Value) cty.Value {
	each := map[string]cty.Value{"key": cty.StringVal(e.Key), "value": e.Value}
	if outer != cty.NilVal {
		each["outer"] = outer
	}
	return cty.ObjectVal(each)
}

// SensitiveAdvice ends messages about sensitive values in places that are shown.
const SensitiveAdvice = "Where it is no secret, write nonsensitive(…)."

// WayOut tells what to do about an argument that determines which tasks there are and is not
// known before the run.
func WayOut(argument string) string {
	switch argument {
	case "for_each":
		return " List all elements that there may be, and leave out those that turn out to be needless by when, which may read tasks."
	case "host", "hosts":
		return " Name all hosts that may be meant, and leave out those that turn out to be needless by when, which may read tasks."
	}
	return ""
}

// mostInstances is the maximum for one for_each, far above the tasks of the largest
// clusters.
const mostInstances = 100_000

// Elements returns the elements of a for_each, whose value is known: the attributes of a map
// or object by name, or the texts of a set, list or tuple.
func Elements(value cty.Value, at hcl.Range) ([]Element, diag.List) {
	if sensitive.Itself(value) {
		return nil, diag.Errorf(&at, "Sensitive value", "for_each cannot have a sensitive value, since its keys become names of instances, which are shown. Values of its elements may be sensitive. %s", SensitiveAdvice)
	}
	t := value.Type()
	if value.IsNull() || !t.IsObjectType() && !t.IsMapType() && !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		return nil, diag.Errorf(&at, "Invalid for_each", "Give a map, an object, or a set or list of texts.")
	}
	if n := value.LengthInt(); n > mostInstances {
		return nil, diag.Errorf(&at, "Too many instances", "This makes %d instances, and more than %d cannot be meant.", n, mostInstances)
	}
	named := t.IsObjectType() || t.IsMapType()
	var all []Element
	seen := map[string]bool{}
	for it := value.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if !named {
			key = value
		}
		if sensitive.Is(key) {
			return nil, diag.Errorf(&at, "Sensitive value", "for_each cannot have sensitive elements in a list, since they become names of instances, which are shown. Values of a map may be sensitive. %s", SensitiveAdvice)
		}
		if key.IsNull() || key.Type() != cty.String {
			return nil, diag.Errorf(&at, "Invalid for_each", "The elements of a set or list must be texts: they become the keys of the instances.")
		}
		if seen[key.AsString()] {
			return nil, diag.Errorf(&at, "Invalid for_each", "The key %q is there twice.", key.AsString())
		}
		seen[key.AsString()] = true
		all = append(all, Element{key.AsString(), value})
	}
	return all, nil
}
