package eval

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/lists"
	"kinit/engine/regex"
)

// textFunction makes a function of texts that returns a text.
func textFunction(about string, params []string, do func(args []string) (string, error)) function.Function {
	return stringsTo(about, params, cty.String, func(args []string) (cty.Value, error) {
		text, err := do(args)
		return cty.StringVal(text), err
	})
}

// predicate makes a function of two texts that returns a bool.
func predicate(about, param string, do func(text, other string) bool) function.Function {
	return stringsTo(about, []string{"text", param}, cty.Bool, func(args []string) (cty.Value, error) {
		return cty.BoolVal(do(args[0], args[1])), nil
	})
}

func stringsTo(about string, params []string, result cty.Type, do func(args []string) (cty.Value, error)) function.Function {
	spec := &function.Spec{Description: about, Type: function.StaticReturnType(result)}
	for _, name := range params {
		spec.Params = append(spec.Params, function.Parameter{Name: name, Type: cty.String})
	}
	spec.Impl = func(values []cty.Value, _ cty.Type) (cty.Value, error) {
		return do(lists.Map(values, cty.Value.AsString))
	}
	return function.New(spec)
}

var (
	startsWith  = predicate("Tells whether a text starts with another.", "prefix", strings.HasPrefix)
	endsWith    = predicate("Tells whether a text ends with another.", "suffix", strings.HasSuffix)
	strContains = predicate("Tells whether a text holds another.", "part", strings.Contains)

	base64Encode = textFunction("Encodes a text in base64.", []string{"text"}, func(a []string) (string, error) {
		return base64.StdEncoding.EncodeToString([]byte(a[0])), nil
	})
	base64Decode = textFunction("Decodes base64 that holds a text in UTF-8.", []string{"text"}, func(a []string) (string, error) {
		raw, err := base64.StdEncoding.DecodeString(a[0])
		if err != nil {
			return "", errors.New("the text is no base64")
		}
		if !utf8.Valid(raw) {
			return "", errors.New("what the base64 holds is no text in UTF-8")
		}
		return string(raw), nil
	})
	urlEncode = textFunction("Escapes a text for use in a URL's query.", []string{"text"}, func(a []string) (string, error) {
		return url.QueryEscape(a[0]), nil
	})
	replace = textFunction("Replaces every occurrence of a text, or of a regular expression between slashes.", []string{"text", "old", "new"}, replaceText)
	uuidV5  = textFunction("Derives a UUID from a namespace (dns, url, oid, x500 or a UUID) and a name.", []string{"namespace", "name"}, uuidText)
)

// textsOnly returns an encoder that refuses texts that are not UTF-8, instead of replacing their bytes.
func textsOnly(encode function.Function) function.Function {
	return function.New(&function.Spec{
		Description: encode.Description(), Params: encode.Params(), VarParam: encode.VarParam(),
		Type:         func(args []cty.Value) (cty.Type, error) { return encode.ReturnTypeForValues(args) },
		RefineResult: func(b *cty.RefinementBuilder) *cty.RefinementBuilder { return b.NotNull() },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for _, arg := range args {
				if err := cty.Walk(arg, checkUTF8); err != nil {
					return cty.NilVal, err
				}
			}
			return encode.Call(args)
		},
	})
}

func checkUTF8(_ cty.Path, v cty.Value) (bool, error) {
	v, _ = v.Unmark()
	if v.Type() == cty.String && v.IsKnown() && !v.IsNull() && !utf8.ValidString(v.AsString()) {
		return false, errors.New("a text in the value is not UTF-8: encode it with base64encode before")
	}
	return true, nil
}

// TextList returns texts as expressions see them.
func TextList(texts []string) cty.Value {
	if len(texts) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	return cty.ListVal(lists.Map(texts, cty.StringVal))
}

func replaceText(a []string) (string, error) {
	old := a[1]
	if len(old) < 2 || old[0] != '/' || old[len(old)-1] != '/' {
		return strings.ReplaceAll(a[0], old, a[2]), nil
	}
	pattern, err := regex.Compile(old[1 : len(old)-1])
	if err != nil {
		return "", fmt.Errorf("invalid regular expression: %w", err)
	}
	return pattern.Replace(a[0], a[2])
}

func uuidText(a []string) (string, error) {
	space, ok := map[string]uuid.UUID{
		"dns": uuid.NameSpaceDNS, "url": uuid.NameSpaceURL, "oid": uuid.NameSpaceOID, "x500": uuid.NameSpaceX500,
	}[a[0]]
	if !ok {
		var err error
		if space, err = uuid.Parse(a[0]); err != nil {
			return "", fmt.Errorf("the namespace %q is neither dns, url, oid, x500 nor a UUID", a[0])
		}
	}
	return uuid.NewSHA1(space, []byte(a[1])).String(), nil
}

// hashed makes a function that returns a checksum in hexadecimal digits.
func hashed(name string, kind func() hash.Hash) function.Function {
	return textFunction("Returns the "+name+" checksum of a text in hexadecimal digits.", []string{"text"}, func(a []string) (string, error) {
		sum := kind()
		sum.Write([]byte(a[0]))
		return hex.EncodeToString(sum.Sum(nil)), nil
	})
}
