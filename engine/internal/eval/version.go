package eval

import (
	"github.com/hashicorp/go-version"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

var versionCompare = stringsTo("Compares two versions such as 1.4.2 or v2.0.0-rc1: -1 if the first is older, 0 if they are equal, 1 if it is newer. It does not know the rules of packages, such as epochs.", []string{"version", "other"}, cty.Number, func(args []string) (cty.Value, error) {
	one, err := versionOf(args, 0)
	if err != nil {
		return cty.NilVal, err
	}
	other, err := versionOf(args, 1)
	if err != nil {
		return cty.NilVal, err
	}
	return cty.NumberIntVal(int64(one.Compare(other))), nil
})

var versionMatch = stringsTo("Tells whether a version meets constraints such as \">= 1.4, < 2\" or \"~> 1.4\", which takes 1.4 and all later 1.x.", []string{"version", "constraints"}, cty.Bool, func(args []string) (cty.Value, error) {
	one, err := versionOf(args, 0)
	if err != nil {
		return cty.NilVal, err
	}
	constraints, err := version.NewConstraint(args[1])
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(1, "%q is no constraint such as \">= 1.4, < 2\"", args[1])
	}
	return cty.BoolVal(constraints.Check(one)), nil
})

// versionOf reads an argument as a version.
func versionOf(args []string, i int) (*version.Version, error) {
	v, err := version.NewVersion(args[i])
	if err != nil {
		return nil, function.NewArgErrorf(i, "%q is no version such as 1.4.2", args[i])
	}
	return v, nil
}
