// Package spec reads specs and playbooks: it converts HCL files to typed blocks with their
// places. It evaluates only literals; eval, topology and plan interpret the blocks.
package spec

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Spec is a spec file and the playbook it uses, merged.
type Spec struct {
	Name     string    // the label of the spec block, or the file's name without one
	Identity string    // the same wherever it is run from: the label, or the names of the folder and the file
	Range    hcl.Range // of the spec block, or the start of the file
	Path     string    // the file it was read from
	Folder   string    // the folder of that file
	Playbook string    // the playbook's folder; Folder if the spec file is the playbook

	Owner    hcl.Expression // the owner of what the playbook makes without a cluster; nil without one
	Cluster  *Cluster       // nil without one
	Drivers  []*Driver      // in the order they were read
	Records  []*Record      // in the order they were read
	Root     *Namespace     // contains the namespaces of imports
	Stages   []*Stage       // of all namespaces, each after those it names
	Hosts    []*Host        // of all namespaces, as are the following
	Blocks   []*Block
	Tasks    []*Task // including those in blocks
	Handlers []*Task
	Checks   []*Check
	Topics   []string // to which handlers listen, also those of imports without any element

	Sources map[string]*hcl.File // every file that was read, by the name in its ranges
}

// Namespace is a scope of names: the spec with its playbook, or an import with a label.
// Blocks of an import without a label belong to the importer's namespace.
type Namespace struct {
	Label   string       // of the import, empty for the root
	Parent  *Namespace   // of the importer, nil for the root
	Imports []*Namespace // of its imports with labels, in the order they were read
	Source  string       // the imported folder, or the playbook's
	Range   hcl.Range    // of the import block's header
	Block   *Block       // the block around the import, nil without one
	ForEach hcl.Expression
	Key     string              // of for_each; empty without
	Keys    map[string][]string // those of its imports with for_each, by label, after Multiply

	Common    []Common         // arguments of the import and of the blocks around it, for its tasks
	DependsOn []hcl.Expression // of the same, in the importer's names

	Vars      map[string]hcl.Expression // values of variables from the spec or the import
	Inputs    map[string]hcl.Expression // values of variables from imports without a label inside
	Variables []*Variable               // in the order of the files, by name of file
	Locals    []*Local
	Secrets   []*Secret
	Outputs   []*Output

	path   string // with a dot at the end, empty for the root
	common *Task  // what its tasks inherit, nil for nothing
}

// Common is an argument that an import gives to its tasks. Its expression is in the importer's
// names; the tasks have a reference to var.NAME for it, which no file can contain.
type Common struct {
	Name string
	Expr hcl.Expression
}

// Cluster is a cluster block, not evaluated.
type Cluster struct {
	Name      string
	Range     hcl.Range // of the block's header
	NameRange hcl.Range // where the name is from
	Body      *hclsyntax.Body
}

// Driver is a driver block: a playbook that makes a cluster's nodes, or prepares
// machines that exist.
type Driver struct {
	Name     string
	Summary  string
	Default  bool           // used by clusters that name no driver
	Existing bool           // its nodes are existing machines, which pools name
	Nodes    hcl.Expression // a script that lists the nodes that a hypervisor has; nil without one
	Range    hcl.Range
}

// Record is a record block: what the hypervisors' record of the cluster keeps beside its places.
type Record struct {
	Fixed   map[string]hcl.Expression // what no run may change while the cluster exists, by name
	Removes hcl.Expression            // whether the run only removes the cluster; nil without one
	Range   hcl.Range
}

// Variable is a variable block. Type, Default and the validations are not evaluated; absent
// ones are nil.
type Variable struct {
	Name        string
	Description string
	Sensitive   bool
	Type        hcl.Expression
	Default     hcl.Expression
	Validations []Condition
	Range       hcl.Range
}

// Condition is a condition and the message if it is false.
type Condition struct {
	Condition    hcl.Expression
	ErrorMessage hcl.Expression
	Range        hcl.Range
}

// Local is one name of a locals block.
type Local struct {
	Name  string
	Expr  hcl.Expression
	Range hcl.Range
}

// Stage is a stage block. Absent attributes are nil.
//
// Namespaces share stages: stages with the same name are one, which comes after all stages
// that any declaration names.
type Stage struct {
	In      *Namespace
	Name    string
	After   []string // the stages before it
	Serial  hcl.Expression
	MaxFail hcl.Expression
	Range   hcl.Range
	Others  []*Stage // its declarations in other namespaces

	afterRange hcl.Range
}

// Block is a block block: tasks with common meta-arguments. Its tasks inherit the other
// ones. Absent attributes are nil.
type Block struct {
	In      *Namespace
	Name    string
	Stage   string // empty without one
	Outer   *Block // the block around it in the same names, nil without one
	Serial  hcl.Expression
	MaxFail hcl.Expression
	Range   hcl.Range
}

// Host is a host block: a machine that tasks create, or reach with the values of other
// tasks. Absent attributes are nil.
type Host struct {
	In             *Namespace
	Label          string
	ForEach        hcl.Expression
	Name           hcl.Expression
	Address        hcl.Expression
	Port           hcl.Expression
	User           hcl.Expression
	Via            hcl.Expression
	Transport      hcl.Expression
	Become         hcl.Expression
	PrivateKey     hcl.Expression
	Password       hcl.Expression
	HostKeys       hcl.Expression
	OS             hcl.Expression
	Auth           hcl.Expression
	Certificate    hcl.Expression
	BecomeMethod   hcl.Expression
	BecomePassword hcl.Expression
	ConnectTimeout hcl.Expression
	Pace           hcl.Expression
	Vars           hcl.Expression
	Console        hcl.Expression
	TakeConsole    hcl.Expression
	Screen         hcl.Expression
	Shell          hcl.Expression
	DependsOn      hcl.Expression
	Range          hcl.Range
}

// Task is a task block or a handler block. Absent meta-arguments are nil.
type Task struct {
	In          *Namespace
	Module      string
	Name        string
	Handler     bool
	Block       *Block    // the block around it, nil without one
	ModuleRange hcl.Range // of the first label
	Range       hcl.Range // of the block's header

	Stage string // empty without one
	Host  hcl.Expression
	Hosts hcl.Expression
	// InsteadOfHosts reports that Host takes the place of hosts of a block around the task, so it must not be null.
	InsteadOfHosts bool
	ForEach        hcl.Expression
	Loops          []hcl.Expression // for_each of the blocks around it, outermost first
	RunOnce        hcl.Expression
	When           []hcl.Expression // all of them must be true
	DependsOn      []hcl.Expression // each a list
	Notify         hcl.Expression
	Listen         []string // topics of a handler, which notify may name
	Timeout        hcl.Expression
	Throttle       hcl.Expression
	Tags           []string // its own and those of blocks and imports around it
	Advice         hcl.Expression
	Retry          *Retry
	Until          hcl.Expression
	ChangedWhen    hcl.Expression
	FailedWhen     hcl.Expression
	Become         *Become
	Environment    []hcl.Expression // later ones have priority
	Cwd            hcl.Expression
	Sensitive      bool
	Always         bool
	OnFailure      bool
	FlushHandlers  bool

	Args *hclsyntax.Body // the module's arguments: everything else

	stageRange hcl.Range
}

// Secret is a secret block: a value encrypted in the file, or one that a task generates
// once. One of the two is nil.
type Secret struct {
	Name      string
	Encrypted hcl.Expression
	Task      *Task // also in Tasks
	Range     hcl.Range
}

// Become is a become argument (Value) or a become block (User and Method). Absent
// attributes are nil.
type Become struct {
	Value  hcl.Expression
	User   hcl.Expression
	Method hcl.Expression
	Range  hcl.Range
}

// Retry is a retry block. Absent attributes are nil.
type Retry struct {
	Attempts hcl.Expression
	Delay    hcl.Expression
	Range    hcl.Range
}

// Check is a check block.
type Check struct {
	In      *Namespace
	When    []hcl.Expression // of the import that it is in
	Name    string
	Asserts []Condition
	Range   hcl.Range
}

// Output is an output block.
type Output struct {
	Name        string
	Value       hcl.Expression
	Description string
	Sensitive   bool
	Range       hcl.Range
}
