package eval

import (
	"maps"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Input is the input of New.
type Input struct {
	Spec      *spec.Spec
	Sources   spec.Sources
	Vars      map[string]string                 // from the command line, as text
	VarFiles  []string                          // read in order, later ones have priority
	Decrypt   func(text string) (string, error) // for files that Ansible Vault has encrypted; nil without passwords
	Environ   []string                          // KEY=value; KINIT_VAR_x sets variable x
	Inventory map[string]cty.Value              // the inventory's values of variables
	Places    map[string]hcl.Range              // where the inventory sets them, as far as known
	Hosts     cty.Value                         // the selected hosts by name, for expressions
	Groups    cty.Value                         // the names of the selected hosts by group
	Run       Run
	Redactor  *secret.Redactor // gets the values of sensitive variables and of secrets; may be nil
	Keyless   bool             // encrypted secrets are unknown without a key

	tables *tables // shared by all scopes
}

// Run is the value of run in expressions.
type Run struct {
	StopAfter string
	Recreate  bool
	Purge     bool
	Renew     bool
	Check     bool     // a dry run
	Look      bool     // a dry run that asks hosts, and only shows what is there
	Hosts     []string // the names of the selected hosts, in order
}

// Scope holds the values that expressions of a namespace may refer to outside of a task.
// After SetCluster it is safe for use by several goroutines.
type Scope struct {
	in      Input
	names   *spec.Namespace
	outer   *Scope              // the importer's, nil for the root
	inner   []*Scope            // of the imports with labels, after SetCluster
	torn    bool                // an import has no scopes, because its elements are wrong
	waiting map[string]*Waiting // variables by name
	vars    map[string]cty.Value
	locals  map[string]cty.Value
	secrets map[string]cty.Value // the ones that are encrypted in the files
	late    []*spec.Local        // locals that refer to the cluster, in order
	during  []*spec.Local        // locals that refer to a host or need values of tasks, in order
	cluster cty.Value
	each    cty.Value // of an import with for_each; cty.NilVal without

	mu      sync.Mutex
	folders map[string]*hcl.EvalContext
}

// Waiting returns the variables that are known only during a run, by name.
func (s *Scope) Waiting() map[string]*Waiting { return s.waiting }

// During returns the locals that have their values for a host or during a run. Elsewhere they
// are unknown.
func (s *Scope) During() []*spec.Local { return s.during }

// Locals returns the values of the locals.
func (s *Scope) Locals() map[string]cty.Value { return maps.Clone(s.locals) }

// Variables returns the values of the variables.
func (s *Scope) Variables() map[string]cty.Value { return maps.Clone(s.vars) }

// Imports returns the scopes of the imports with labels.
func (s *Scope) Imports() map[*spec.Namespace]*Scope {
	all := map[*spec.Namespace]*Scope{}
	for _, inner := range s.inner {
		all[inner.names] = inner
	}
	return all
}

// Outside returns the scope of the arguments of an import in a file of the importer.
func (s *Scope) Outside(file string) *hcl.EvalContext {
	ctx := s.outer.Context(file)
	if s.each == cty.NilVal {
		return ctx
	}
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{"each": s.each}
	return inner
}

// Context returns the scope of an expression in a file: path and the functions that read
// files are relative to the file's folder.
func (s *Scope) Context(file string) *hcl.EvalContext {
	folder := spec.Folder(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx := s.folders[folder]; ctx != nil {
		return ctx
	}
	if s.folders == nil {
		s.folders = map[string]*hcl.EvalContext{}
	}
	ctx := s.base(folder)
	ctx.Variables["local"] = cty.ObjectVal(s.locals)
	s.folders[folder] = ctx
	return ctx
}

// forget drops the stored contexts, so that Context returns the changed values.
func (s *Scope) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = nil
}

// base returns the scope of a folder without locals.
func (s *Scope) base(folder string) *hcl.EvalContext {
	ctx := &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"var":    cty.ObjectVal(s.vars),
			"hosts":  s.in.Hosts,
			"groups": s.in.Groups,
			"run":    s.run(),
			"path":   s.path(folder),
			"secret": cty.ObjectVal(s.secrets),
		},
		Functions: s.functions(folder),
	}
	for _, name := range []string{"hosts", "groups"} {
		if ctx.Variables[name] == cty.NilVal {
			ctx.Variables[name] = cty.EmptyObjectVal
		}
	}
	if s.cluster != cty.NilVal {
		ctx.Variables["cluster"] = s.cluster
	}
	return ctx
}

func (s *Scope) path(folder string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"playbook": cty.StringVal(s.in.Sources.Abs(folder)),
		"spec":     cty.StringVal(s.in.Sources.Abs(s.in.Spec.Folder)),
		"cwd":      cty.StringVal(s.in.Sources.Cwd),
		"home":     cty.StringVal(s.in.Sources.Home),
	})
}

func (s *Scope) run() cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"stop_after": cty.StringVal(s.in.Run.StopAfter),
		"last_stage": cty.StringVal(s.lastStage()),
		"recreate":   cty.BoolVal(s.in.Run.Recreate),
		"purge":      cty.BoolVal(s.in.Run.Purge),
		"renew":      cty.BoolVal(s.in.Run.Renew),
		"check":      cty.BoolVal(s.in.Run.Check),
		"inspect":    cty.BoolVal(s.in.Run.Look),
		"hosts":      TextList(s.in.Run.Hosts),
	})
}

// lastStage returns the stage after which the run stops: the one of the options, or the
// last of the playbook, or "" without stages.
func (s *Scope) lastStage() string {
	if s.in.Run.StopAfter != "" {
		return s.in.Run.StopAfter
	}
	stages := s.in.Spec.Stages
	if len(stages) == 0 {
		return ""
	}
	return stages[len(stages)-1].Name
}

// plain returns a scope with only functions and path, for values that are evaluated before
// the variables.
func (s *Scope) plain(file string) *hcl.EvalContext {
	folder := spec.Folder(file)
	return &hcl.EvalContext{
		Variables: map[string]cty.Value{"path": s.path(folder)},
		Functions: s.functions(folder),
	}
}

// Files returns the access to files for expressions and tasks of a playbook file.
func (s *Scope) Files(file string) module.LocalFiles {
	return reader{src: s.in.Sources, folder: spec.Folder(file)}
}

// Mask adds the texts in the sensitive parts of a value to the redactor.
func (s *Scope) Mask(value cty.Value) { s.in.Redactor.Add(sensitive.Texts(value)...) }

// functions returns the functions for expressions in a folder's files. The caller must not change them.
func (s *Scope) functions(folder string) map[string]function.Function {
	return s.in.tables.of(folder, func() map[string]function.Function {
		return Functions(s.in.Sources, folder, s.in.Redactor.Add)
	})
}

// tables keeps the functions for each folder: making them takes longer than evaluating most locals.
type tables struct {
	mu  sync.Mutex
	all map[string]map[string]function.Function
}

// of returns the functions for a folder, which are made once.
func (t *tables) of(folder string, create func() map[string]function.Function) map[string]function.Function {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[folder] == nil {
		t.all[folder] = create()
	}
	return t.all[folder]
}
