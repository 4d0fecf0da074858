package eval

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/bounds"
	"kinit/engine/internal/spec"
	"kinit/engine/pace"
)

// Functions returns the functions for expressions in files of a folder. They always give
// the same result: none uses a clock or random numbers. They pass the texts that they make
// of sensitive values to learn, which may be nil.
func Functions(src spec.Sources, folder string, learn func(texts ...string)) map[string]function.Function {
	all, files := map[string]function.Function{}, reader{src, folder}
	for _, group := range files.groups() {
		maps.Copy(all, group.functions)
	}
	// These two keep compiled patterns. Their entries in texts are for the page of functions.
	compiled := &patterns{}
	all["regex"], all["regexall"] = compiled.first(), compiled.each()
	bounds.Functions(all)
	if learn != nil {
		teach(all, learn)
	}
	all["templatefile"] = files.template(maps.Clone(all))
	return all
}

// group is functions for one purpose. The page of all functions shows its title.
type group struct {
	title     string
	functions map[string]function.Function
}

// groups lists all functions but templatefile, which uses them.
func (r reader) groups() []group {
	return []group{
		{"Collections", collections}, {"Texts", texts}, {"Numbers", numbers}, {"Encodings", encodings}, {"Checksums and ids", hashes},
		{"Networks", addresses}, {"Durations", durations}, {"Versions", versions}, {"Sensitive values", marks}, {"Files of the controller", r.functions()},
	}
}

var collections = map[string]function.Function{
	"alltrue":         uniform(allTrue),
	"anytrue":         uniform(anyTrue),
	"can":             tryfunc.CanFunc,
	"chunklist":       uniform(stdlib.ChunklistFunc),
	"coalesce":        coalesce,
	"coalescelist":    stdlib.CoalesceListFunc,
	"compact":         uniform(stdlib.CompactFunc),
	"concat":          stdlib.ConcatFunc,
	"contains":        stdlib.ContainsFunc,
	"distinct":        uniform(distinct),
	"element":         stdlib.ElementFunc,
	"flatten":         stdlib.FlattenFunc,
	"keys":            stdlib.KeysFunc,
	"length":          length,
	"lookup":          lookup,
	"merge":           stdlib.MergeFunc,
	"one":             one,
	"range":           stdlib.RangeFunc,
	"reverse":         stdlib.ReverseListFunc,
	"setintersection": uniform(stdlib.SetIntersectionFunc),
	"setproduct":      uniform(stdlib.SetProductFunc),
	"setsubtract":     uniform(stdlib.SetSubtractFunc),
	"setunion":        uniform(stdlib.SetUnionFunc),
	"slice":           stdlib.SliceFunc,
	"sort":            uniform(stdlib.SortFunc),
	"sum":             uniform(sum),
	"tobool":          stdlib.MakeToFunc(cty.Bool),
	"tolist":          uniform(stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType))),
	"tomap":           stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tonumber":        stdlib.MakeToFunc(cty.Number),
	"toset":           uniform(stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType))),
	"tostring":        stdlib.MakeToFunc(cty.String),
	"try":             tryfunc.TryFunc,
	"values":          stdlib.ValuesFunc,
	"zipmap":          stdlib.ZipmapFunc,
}

var texts = map[string]function.Function{
	"chomp":       stdlib.ChompFunc,
	"endswith":    endsWith,
	"fold":        spec.Fold,
	"format":      stdlib.FormatFunc,
	"formatlist":  stdlib.FormatListFunc,
	"indent":      stdlib.IndentFunc,
	"join":        uniform(stdlib.JoinFunc),
	"lower":       stdlib.LowerFunc,
	"regex":       stdlib.RegexFunc,
	"regexall":    stdlib.RegexAllFunc,
	"replace":     replace,
	"split":       stdlib.SplitFunc,
	"startswith":  startsWith,
	"strcontains": strContains,
	"strrev":      stdlib.ReverseFunc,
	"substr":      stdlib.SubstrFunc,
	"title":       stdlib.TitleFunc,
	"trim":        stdlib.TrimFunc,
	"trimprefix":  stdlib.TrimPrefixFunc,
	"trimspace":   stdlib.TrimSpaceFunc,
	"trimsuffix":  stdlib.TrimSuffixFunc,
	"upper":       stdlib.UpperFunc,
}

var numbers = map[string]function.Function{
	"abs":      stdlib.AbsoluteFunc,
	"ceil":     stdlib.CeilFunc,
	"floor":    stdlib.FloorFunc,
	"max":      stdlib.MaxFunc,
	"min":      stdlib.MinFunc,
	"parseint": stdlib.ParseIntFunc,
	"pow":      stdlib.PowFunc,
}

var encodings = map[string]function.Function{
	"base64decode": base64Decode,
	"base64encode": base64Encode,
	"jsondecode":   stdlib.JSONDecodeFunc,
	"jsonencode":   textsOnly(stdlib.JSONEncodeFunc),
	"urlencode":    urlEncode,
	"yamldecode":   yaml.YAMLDecodeFunc,
	"yamlencode":   textsOnly(yaml.YAMLEncodeFunc),
}

var hashes = map[string]function.Function{
	"md5":    hashed("MD5", md5.New),
	"sha1":   hashed("SHA-1", sha1.New),
	"sha256": hashed("SHA-256", sha256.New),
	"sha512": hashed("SHA-512", sha512.New),
	"uuidv5": uuidV5,
}

var addresses = map[string]function.Function{
	"cidrhost":    cidrHost,
	"cidrnetmask": cidrNetmask,
	"cidrsubnet":  cidrSubnet,
}

var versions = map[string]function.Function{
	"versioncompare": versionCompare,
	"versionmatches": versionMatch,
}

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
