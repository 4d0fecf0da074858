package eval

import (
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/pace"
)

var durations = map[string]function.Function{"stretch": stretch}

// stretch multiplies a time limit by a pace.
var stretch = function.New(&function.Spec{
	Description: "A duration as it is on a machine that is so many times slower than an ordinary one.",
	Params:      []function.Parameter{{Name: "duration", Type: cty.String}, {Name: "pace", Type: cty.Number}},
	Type:        function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		limit, err := time.ParseDuration(args[0].AsString())
		if err != nil || limit <= 0 {
			return cty.NilVal, function.NewArgErrorf(0, "give a duration such as \"90s\", not %q", args[0].AsString())
		}
		var slow float64
		if err := gocty.FromCtyValue(args[1], &slow); err != nil {
			return cty.NilVal, function.NewArgError(1, fmt.Errorf("give how many times slower it is: %w", err))
		}
		return cty.StringVal(pace.Stretch(limit, slow).String()), nil
	},
})
