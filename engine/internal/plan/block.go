package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/spec"
	"kinit/engine/module"
)

// block is a task block with its instances.
type block struct {
	space     *space
	spec      *spec.Task
	kind      *module.Kind        // nil when there is no such module
	outputs   map[string]cty.Type // of the module, empty without
	secrets   []string            // those of the outputs that are secret by the module
	shows     bool                // an instance has a sensitive value that it may show
	tainted   bool                // so what the instances return is sensitive
	single    bool                // it has one instance without a key
	instances []*Task
	notifies  []reference // handlers
	hosts     []string    // of a handler with hosts of its own
	made      map[handlerKey]*Task
	whole     bool      // tasks refer to all of its instances alike
	foreseen  *foreseen // nil until it can be
	byKey     map[string]*Task
	byHost    map[string][]*Task // by what a failure counts for
	linked    bool               // its instances refer to the same
	invalid   bool               // its instances are not known, because of an error that is told already
}

// handlerKey is what makes an instance of a handler.
type handlerKey struct {
	group *group
	flush *flush
	host  string
}

// instance returns the instance with a key, or nil.
func (b *block) instance(key string) *Task { return b.byKey[key] }

// add adds an instance.
func (b *block) add(t *Task) {
	if b.byKey == nil {
		b.byKey, b.byHost = map[string]*Task{}, map[string][]*Task{}
	}
	b.instances = append(b.instances, t)
	if b.byKey[t.Key] == nil { // handlers may have several for a host
		b.byKey[t.Key] = t
	}
	b.byHost[t.For] = append(b.byHost[t.For], t)
}

// forHost lists the instances whose failures count for a host.
func (b *block) forHost(name string) []*Task { return b.byHost[name] }

// spread tells whether the block is for more than one host.
func (b *block) spread() bool { return len(b.byHost) > 1 }

func (b *block) keys() []string {
	keys := make([]string, len(b.instances))
	for i, t := range b.instances {
		keys[i] = t.Key
	}
	return keys
}

func (b *block) outputNames() []string { return slices.Sorted(maps.Keys(b.outputs)) }

// root is how references to the block start.
func (b *block) root() string {
	if b.spec.Handler {
		return "handler"
	}
	return "task"
}

// blocks is all task blocks of a plan.
type blocks struct {
	order     []*block          // by place in the files, handlers last
	byAddress map[string]*block // such as task.file.motd or import.shop.handler.service.web
	tasks     map[string]*Task  // every instance by its address
}

// reference is how expressions of its namespace refer to the block.
func (b *block) reference() string {
	return b.root() + "." + b.spec.Module + "." + b.spec.Name
}

// instanceAddress is the address of an instance with a key.
func instanceAddress(t *spec.Task, key string) string {
	return fmt.Sprintf("%s[%q]", t.Address(), key)
}
