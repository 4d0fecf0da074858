package eval

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/spec"
	"kinit/engine/lineend"
	"kinit/engine/lists"
)

// reader implements the functions that read files. Paths are relative to the folder of the
// file that calls them.
type reader struct {
	src    spec.Sources
	folder string
}

func (r reader) functions() map[string]function.Function {
	argument := []string{"path"}
	return map[string]function.Function{
		"abspath":    textFunction("Makes a path absolute.", argument, r.abs),
		"basename":   textFunction("Returns the last part of a path.", argument, func(a []string) (string, error) { return filepath.Base(a[0]), nil }),
		"dirname":    textFunction("Returns a path without its last part.", argument, func(a []string) (string, error) { return filepath.Dir(a[0]), nil }),
		"file":       textFunction("Returns the text of a file.", argument, r.text),
		"filebase64": textFunction("Returns the bytes of a file in base64.", argument, r.base64),
		"fileexists": stringsTo("Tells whether there is a file.", argument, cty.Bool, r.exists),
		"filesha256": textFunction("Returns the SHA-256 checksum of a file in hexadecimal digits.", argument, r.sha256),
		"fileset": function.New(&function.Spec{
			Description: "Lists the files in a folder and below, as paths relative to it, sorted. With patterns, those that match one of them: a pattern with a slash is for the path, others are for the name.",
			Params:      []function.Parameter{{Name: "path", Type: cty.String}},
			VarParam:    &function.Parameter{Name: "patterns", Type: cty.String},
			Type:        function.StaticReturnType(cty.List(cty.String)),
			Impl:        r.fileset,
		}),
		"firstfound": function.New(&function.Spec{
			Description: "Returns the first of the paths that is a file.",
			VarParam:    &function.Parameter{Name: "paths", Type: cty.String},
			Type:        function.StaticReturnType(cty.String),
			Impl:        r.first,
		}),
		"pathexpand": textFunction("Replaces a leading ~ by the home folder.", argument, func(a []string) (string, error) { return r.src.Expand(a[0]), nil }),
	}
}

// Stat describes a path and follows links.
func (r reader) Stat(path string) (fs.FileInfo, error) { return r.src.Stat(r.name(path)) }

// Open reads a file.
func (r reader) Open(path string) (fs.File, error) { return r.src.Open(r.name(path)) }

func (r reader) name(path string) string { return spec.Join(r.folder, r.src.Expand(path)) }

func (r reader) abs(a []string) (string, error) { return r.src.Abs(r.name(a[0])), nil }

// read returns the bytes of a file that fits into a value.
func (r reader) read(path string) (data []byte, err error) {
	err = r.open(path, func(file io.Reader) error {
		data, err = io.ReadAll(io.LimitReader(file, bounds.MostBytes+1))
		if len(data) > bounds.MostBytes {
			return fmt.Errorf("%s has more than %d MiB, and no such value can be meant", r.name(path), bounds.MostBytes>>20)
		}
		return err
	})
	return data, err
}

// open calls a function with a regular file. Others, such as a pipe or a device, may have
// no end.
func (r reader) open(path string, read func(file io.Reader) error) error {
	err := func() error {
		info, err := r.src.Stat(r.name(path))
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() && !info.IsDir() { // reading a folder gives a clear error by itself
			return &fs.PathError{Op: "open", Path: path, Err: errors.New("no regular file")}
		}
		file, err := r.src.Open(r.name(path))
		if err != nil {
			return err
		}
		defer file.Close()
		return read(file)
	}()
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot read %s: %w", r.name(path), at.Err)
	}
	return err
}

func (r reader) text(a []string) (string, error) {
	data, err := r.read(a[0])
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) {
		return "", fmt.Errorf("%s is no text in UTF-8; filebase64 reads any file", r.name(a[0]))
	}
	return string(data), nil
}

func (r reader) base64(a []string) (string, error) {
	data, err := r.read(a[0])
	return base64.StdEncoding.EncodeToString(data), err
}

func (r reader) sha256(a []string) (string, error) {
	sum := sha256.New()
	err := r.open(a[0], func(file io.Reader) error {
		_, err := io.Copy(sum, file)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

func (r reader) exists(a []string) (cty.Value, error) {
	err := r.open(a[0], func(file io.Reader) error {
		_, err := file.Read(make([]byte, 1))
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cty.NilVal, err
	}
	return cty.BoolVal(err == nil), nil
}

// fileset lists a folder and everything below it.
func (r reader) fileset(args []cty.Value, _ cty.Type) (cty.Value, error) {
	names, err := r.walk(r.name(args[0].AsString()), "")
	if err != nil {
		return cty.NilVal, err
	}
	patterns := lists.Map(args[1:], cty.Value.AsString)
	for i, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return cty.NilVal, function.NewArgErrorf(i+1, "%q is no pattern such as *.conf", pattern)
		}
	}
	return TextList(slices.DeleteFunc(names, func(name string) bool { return len(patterns) > 0 && !matchesOne(name, patterns) })), nil
}

// matchesOne reports whether a path, or its name, matches one of the patterns, which are
// valid.
func matchesOne(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		part := name
		if !strings.Contains(pattern, "/") {
			part = path.Base(name)
		}
		ok, _ := path.Match(pattern, part)
		return ok
	})
}

// first returns the first path that is a file.
func (r reader) first(args []cty.Value, _ cty.Type) (cty.Value, error) {
	for _, arg := range args {
		found, err := r.exists([]string{arg.AsString()})
		if err != nil {
			return cty.NilVal, err
		}
		if found.True() {
			return arg, nil
		}
	}
	return cty.NilVal, fmt.Errorf("there is none of these files: %s", strings.Join(lists.Map(args, func(arg cty.Value) string { return r.name(arg.AsString()) }), ", "))
}

func (r reader) walk(folder, below string) ([]string, error) {
	entries, err := r.src.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		name := path.Join(below, entry.Name())
		if !entry.IsDir() {
			names = append(names, name)
			continue
		}
		inner, err := r.walk(spec.Join(folder, entry.Name()), name)
		if err != nil {
			return nil, err
		}
		names = append(names, inner...)
	}
	return names, nil
}

// template returns the function that fills in a file. Templates can use the functions
// given, not other templates, so that there is no endless loop.
func (r reader) template(functions map[string]function.Function) function.Function {
	return function.New(&function.Spec{
		Description: "Fills in a file's template with values.",
		Params:      []function.Parameter{{Name: "path", Type: cty.String}, {Name: "values", Type: cty.DynamicPseudoType, AllowMarked: true}}, // an unused argument leaves no mark
		Type:        function.StaticReturnType(cty.String),
		Impl:        func(args []cty.Value, _ cty.Type) (cty.Value, error) { return r.fill(args, functions) },
	})
}

func (r reader) fill(args []cty.Value, functions map[string]function.Function) (cty.Value, error) {
	values, within := args[1].Unmark()
	if t := values.Type(); !t.IsObjectType() && !t.IsMapType() {
		return cty.NilVal, function.NewArgErrorf(1, "give an object with the template's values")
	}
	data, err := r.text([]string{args[0].AsString()})
	if err != nil {
		return cty.NilVal, err
	}
	name := r.name(args[0].AsString())
	expr, problems := hclsyntax.ParseTemplate([]byte(lineend.Plain(data)), name, hcl.InitialPos)
	if problems.HasErrors() {
		return cty.NilVal, templateError(problems)
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions}
	maps.Copy(ctx.Variables, values.AsValueMap())
	bounds.Limit(expr)
	result, problems := bounds.Value(expr, ctx)
	if problems.HasErrors() {
		return cty.NilVal, templateError(problems)
	}
	text, err := convert.Convert(result, cty.String)
	if err != nil || !lineend.Windows(data) || text.IsNull() || !text.IsKnown() {
		return text.WithMarks(within), err
	}
	plain, marks := text.Unmark()
	return cty.StringVal(lineend.Like(data, plain.AsString())).WithMarks(marks, within), nil
}

// templateError returns the first problem of a template, with its place in the file.
func templateError(problems hcl.Diagnostics) error {
	for _, p := range problems {
		if p.Severity == hcl.DiagError && p.Subject != nil {
			problem := diag.FromHCL(hcl.Diagnostics{p})[0]
			return fmt.Errorf("%s: %s; %s", p.Subject, problem.Summary, strings.TrimSuffix(problem.Detail, "."))
		}
	}
	return problems
}
