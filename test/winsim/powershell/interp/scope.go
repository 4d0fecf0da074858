package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// scope has the variables and functions of a script block that runs. Names are looked
// up in the scopes of the callers too.
type scope struct {
	parent    *scope
	vars      map[string]*variable
	functions map[string]*Block
	script    string // the file that the scope is of
	isScript  bool
}

// variable has a value, and the type that what is assigned to it is converted to.
type variable struct {
	value    any
	typeName string
}

func (sc *scope) find(name string) *variable {
	for ; sc != nil; sc = sc.parent {
		if v, ok := sc.vars[name]; ok {
			return v
		}
	}
	return nil
}

// get is the value of a variable, in any of the scopes.
func (sc *scope) get(name string) (any, bool) {
	v := sc.find(strings.ToLower(name))
	if v == nil {
		return nil, false
	}
	return v.value, true
}

// set sets a variable of this scope.
func (sc *scope) set(name string, v any) {
	name = strings.ToLower(name)
	if own, ok := sc.vars[name]; ok {
		own.value = v
		return
	}
	sc.vars[name] = &variable{value: v}
}

func (sc *scope) function(name string) (*Block, bool) {
	name = strings.ToLower(name)
	for ; sc != nil; sc = sc.parent {
		if f, ok := sc.functions[name]; ok {
			return f, true
		}
	}
	return nil, false
}

// scopeOf is the scope that a variable's prefix names.
func (s *Session) scopeOf(prefix string) (*scope, error) {
	switch prefix {
	case "", "local", "private":
		return s.scope, nil
	case "global":
		return s.global, nil
	case "script":
		for sc := s.scope; sc != nil; sc = sc.parent {
			if sc.isScript {
				return sc, nil
			}
		}
		return s.global, nil
	}
	return nil, unknown.New("the scope or drive %q of a variable", prefix)
}

// Variable is the value of a variable by name; nil where there is none.
func (s *Session) Variable(name string) any {
	v, _ := s.scope.get(name)
	return v
}

// LookUp is the value of a variable by name, and whether there is one.
func (s *Session) LookUp(name string) (any, bool) { return s.scope.get(name) }

// SetVariable sets a variable of the scope that runs; prefix is as in $global:name.
func (s *Session) SetVariable(prefix, name string, v any) error {
	sc, err := s.scopeOf(strings.ToLower(prefix))
	if err != nil {
		return err
	}
	sc.set(name, v)
	return nil
}

// unmodelled are automatic variables that the simulator has no value for.
func unmodelled(name string) bool {
	switch name {
	case "input", "host", "executioncontext", "stacktrace", "pshome", "profile", "shellid", "foreach", "switch",
		"this", "sender", "event", "eventargs", "psitem", "psculture", "psuiculture", "nestedpromptlevel", "consolefilename",
		"psdebugcontext", "pssenderinfo", "pscmdlet", "psversiontable", "home", "$", "^", "maximumhistorycount", "outputencoding",
		"psdefaultparametervalues", "psmoduleautoloadingpreference", "formatenumerationlimit":
		return true
	}
	return false
}

// variable is the value of $name.
func (s *Session) variable(v *ast.Variable) (any, error) {
	name := strings.ToLower(v.Name)
	if v.Scope == "env" {
		text, ok := s.Env.Get(v.Name)
		if !ok {
			return nil, nil
		}
		return text, nil
	}
	if v.Scope == "" {
		if automatic, ok := s.automatic(name); ok {
			return automatic, nil
		}
	}
	sc, err := s.scopeOf(v.Scope)
	if err != nil {
		return nil, err
	}
	found := s.lookup(sc, v.Scope, name)
	switch {
	case found != nil:
		return found.value, nil
	case unmodelled(name):
		return nil, unknown.New("the automatic variable $%s", v.Name)
	}
	return nil, nil
}

func (s *Session) lookup(sc *scope, prefix, name string) *variable {
	if prefix == "" {
		return sc.find(name)
	}
	return sc.vars[name]
}

// automatic are the variables that are no variables.
func (s *Session) automatic(name string) (any, bool) {
	switch name {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null":
		return nil, true
	case "?":
		return s.okay, true
	case "pwd":
		return value.NewObject("System.Management.Automation.PathInfo", value.P("Path", s.Dir), value.P("ProviderPath", s.Dir)), true
	case "psscriptroot", "pscommandpath":
		path := s.scriptFile()
		if name == "psscriptroot" {
			path = folderOf(path)
		}
		return path, true
	}
	return nil, false
}

func (s *Session) scriptFile() string {
	for sc := s.scope; sc != nil; sc = sc.parent {
		if sc.script != "" {
			return sc.script
		}
	}
	return ""
}

func folderOf(path string) string {
	i := strings.LastIndexAny(path, `\/`)
	if i < 0 {
		return ""
	}
	return path[:i]
}

// assignVariable sets $name, converted to the type it was declared with.
func (s *Session) assignVariable(ctx context.Context, v *ast.Variable, newValue any, typeName string) error {
	name := strings.ToLower(v.Name)
	if v.Scope == "env" {
		s.Env.Set(v.Name, value.String(newValue))
		return nil
	}
	if name == "null" {
		return nil
	}
	if readOnly(name) && (v.Scope == "" || v.Scope == "global") {
		return runtimeError("VariableNotWritable", "WriteError", "Cannot overwrite variable "+v.Name+" because it is read-only or constant.", v.Name)
	}
	sc, err := s.scopeOf(v.Scope)
	if err != nil {
		return err
	}
	own, ok := sc.vars[name]
	if !ok {
		own = &variable{}
	}
	if typeName != "" {
		own = &variable{typeName: typeName}
	}
	if own.typeName != "" {
		if newValue, err = s.convert(ctx, newValue, own.typeName); err != nil {
			return metadataError(err)
		}
	}
	own.value = newValue
	sc.vars[name] = own
	return nil
}

// metadataError is the error of a value that does not fit the type of a variable.
func metadataError(err error) error {
	e, ok := asException(err)
	if !ok {
		return err
	}
	x := value.NewException("System.Management.Automation.ArgumentTransformationMetadataException", e.Message)
	x.Inner = e
	return &Throw{Record: &value.ErrorRecord{Exception: x, ID: "RuntimeException", Category: "MetadataError"}, Statement: true}
}

func readOnly(name string) bool {
	switch name {
	case "true", "false", "?", "pid", "psversiontable", "home", "host", "pshome", "shellid", "executioncontext":
		return true
	}
	return false
}
