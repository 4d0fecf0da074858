package expand

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Set holds the instances of all blocks of a spec, with their namespaces and hosts.
type Set struct {
	Spec       *spec.Spec
	Hosts      *Hosts
	Namespaces map[*spec.Namespace]*Namespace
	Bindings   []*Binding
	Blocks     []*Block // by place in the files, handlers last

	byAddress map[string]*Block // such as task.file.motd or import.shop.handler.service.web
}

// Block is a task block with its instances.
type Block struct {
	Namespace *Namespace
	Spec      *spec.Task
	Kind      *module.Kind            // nil if the module does not exist
	Outputs   map[string]cty.Type     // of the module, empty without
	Secrets   []string                // the outputs that the module makes secret
	Arguments []module.ArgumentOutput // the outputs that are arguments
	Single    bool                    // it has one instance without a key
	Depth     int                     // how many keys each instance has
	Invalid   bool                    // its instances are not known because of an error that was reported
	Instances []*Instance             // of a handler one for each host; when it runs is found later
	Notifies  []Notice
	Hosts     []string // of a handler with its own hosts

	byKey map[string]*Instance
	below map[string][]string // the next keys after the first ones
}

// Notice is a block's mention of a handler that it notifies.
type Notice struct {
	Handler *Block
	At      hcl.Range
}

// Instance is one instance of a block on one host.
type Instance struct {
	Of      *Block
	Address string // such as task.file.motd["web1"]
	Module  string
	Name    string
	Keys    []string  // of hosts, of the blocks around it and of for_each, as far as there are these
	Host    string    // where it runs
	For     string    // the host that a failure counts for: the key if that is a host, or Host
	Range   hcl.Range // of the block's header
	Role    Role
	Idle    string           // why there is nothing to do ("there are no hosts"); empty otherwise
	Scope   *hcl.EvalContext // values known before the run, with each
	Files   module.LocalFiles
}

// Role is the purpose of a task in a block.
type Role int

// The roles of the tasks of a block.
const (
	Normal  Role = iota
	Rescue       // on_failure: done when a task it watches failed
	Cleanup      // always: done after the tasks it watches, whatever happened to them
)

// RoleOf returns the purpose of a task in its block.
func RoleOf(s *spec.Task) Role {
	switch {
	case s.Around() == nil:
		return Normal
	case s.OnFailure:
		return Rescue
	case s.Always:
		return Cleanup
	}
	return Normal
}

// Instance returns the instance with some keys, or nil.
func (b *Block) Instance(keys ...string) *Instance { return b.byKey[joined(keys)] }

func joined(keys []string) string { return strings.Join(keys, "\x00") }

// add adds an instance with its keys, or the only one.
func (b *Block) add(keys []string, host string, scope *hcl.EvalContext) *Instance {
	s := b.Spec
	t := &Instance{
		Of: b, Address: s.Address(), Module: s.Module, Name: s.Name, Keys: keys, Host: host, For: host, Range: s.Range, Role: RoleOf(s),
		Scope: scope, Files: b.Namespace.Scope.Files(s.Range.Filename),
	}
	for i, key := range keys {
		t.Address += fmt.Sprintf("[%q]", key)
		b.note(keys[:i], key)
	}
	b.byKey[joined(keys)] = t
	b.Instances = append(b.Instances, t)
	return t
}

// note records that a key comes after the first ones.
func (b *Block) note(first []string, key string) {
	at := joined(first)
	if known := b.below[at]; len(known) == 0 || known[len(known)-1] != key {
		b.below[at] = append(known, key)
	}
}

// Keys lists the keys that come after the first ones, in the order of the instances.
func (b *Block) Keys(first ...string) []string { return b.below[joined(first)] }

func (b *Block) root() string {
	if b.Spec.Handler {
		return "handler"
	}
	return "task"
}

// Reference returns how expressions of its namespace refer to the block.
func (b *Block) Reference() string { return b.root() + "." + b.Spec.Module + "." + b.Spec.Name }

// Block returns the block with an address, or nil.
func (s *Set) Block(address string) *Block { return s.byAddress[address] }

// Find returns the block that a namespace knows by an address, such as task.file.motd, or
// nil and similar addresses.
func (s *Set) Find(in *Namespace, root, module, name string) (*Block, string) {
	address := root + "." + module + "." + name
	if found := s.byAddress[in.Address(address)]; found != nil {
		return found, ""
	}
	var names, references []string
	for _, block := range s.Blocks {
		if block.Namespace != in || block.root() != root {
			continue
		}
		references = append(references, block.Reference())
		if block.Spec.Module == module {
			names = append(names, block.Spec.Name)
		}
	}
	missing := fmt.Sprintf(" Declare it, as in: %s %q %q { … }", root, module, name)
	return nil, cmp.Or(diag.Near(name, names), diag.NearOrAll(address, references), missing)
}

// Handlers finds the handlers that an expression names: one, or those of an import with
// for_each. An error has the summary if the expression does not name a handler.
func (s *Set) Handlers(in *Namespace, e hcl.Expression, summary string) ([]*Block, diag.List) {
	at := e.Range()
	t, problems := hcl.AbsTraversalForExpr(e)
	if problems.HasErrors() {
		return nil, notHandler(at, summary)
	}
	within, rest, diags := inside(in, t, at)
	if diags.HasErrors() {
		return nil, diags
	}
	names := lists.Map(rest, stepName)
	if len(names) != 3 || names[0] != "handler" || names[1] == "" || names[2] == "" {
		return nil, notHandler(at, summary)
	}
	var all []*Block
	for _, one := range within {
		found, near := s.Find(one, "handler", names[1], names[2])
		if found == nil {
			name := "handler." + names[1] + "." + names[2]
			if one != in {
				name = one.Address(name)
			}
			return nil, diag.Errorf(&at, "Unknown handler", "There is no %s.%s", name, near)
		}
		all = append(all, found)
	}
	return all, nil
}

func notHandler(at hcl.Range, summary string) diag.List {
	return diag.Errorf(&at, summary, "Name a handler without quotes or an index, as in handler.service.web or import.shop.handler.service.web.")
}

// stepName returns the name that a step of a traversal has, or an empty text.
func stepName(step hcl.Traverser) string {
	if root, ok := step.(hcl.TraverseRoot); ok {
		return root.Name
	}
	name, _ := StepKey(step)
	return name
}

// inside returns the namespaces that the first steps of a traversal name by imports, and the
// other steps.
func inside(in *Namespace, t hcl.Traversal, at hcl.Range) ([]*Namespace, hcl.Traversal, diag.List) {
	within := []*Namespace{in}
	for len(t) > 1 && stepName(t[0]) == "import" {
		label, key := stepName(t[1]), ""
		t = t[2:]
		if len(t) > 0 {
			if index, ok := t[0].(hcl.TraverseIndex); ok {
				key, _ = StepKey(index)
				t = t[1:]
			}
		}
		var next []*Namespace
		for _, outer := range within {
			inner, diags := outer.Imported(label, key, at)
			if diags.HasErrors() {
				return nil, nil, diags
			}
			next = append(next, inner...)
		}
		within = next
	}
	return within, t, nil
}
