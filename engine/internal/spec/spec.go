// Package spec reads specs and playbooks: HCL files to typed blocks with their
// places. It evaluates nothing but literals; what blocks mean is for eval,
// topology and plan.
package spec

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Spec is a spec file and the playbook it uses, merged.
type Spec struct {
	Name     string    // the label of the spec block, or the file's name without one
	Range    hcl.Range // of the spec block, or the start of the file
	Path     string    // the file it was read from
	Folder   string    // the folder of that file
	Playbook string    // the playbook's folder; Folder where the file is the playbook

	Owner    hcl.Expression // who owns what the playbook makes, where there is no cluster; nil without one
	Cluster  *Cluster       // nil without one
	Drivers  []*Driver      // in the order they were read
	Root     *Namespace     // with those of imports inside
	Stages   []*Stage       // of all namespaces, so that each comes after those it names
	Hosts    []*Host        // of all namespaces, as the following
	Blocks   []*Block
	Tasks    []*Task // those in blocks too
	Handlers []*Task
	Checks   []*Check

	Sources map[string]*hcl.File // every file that was read, by the name its ranges carry
}

// Cluster is a cluster block, not evaluated.
type Cluster struct {
	Name  string
	Range hcl.Range
	Body  *hclsyntax.Body
}

// Driver is a driver block: a playbook that makes a cluster's nodes, or prepares
// machines that exist.
type Driver struct {
	Name     string
	Summary  string
	Default  bool // of clusters that name none
	Existing bool // its nodes are machines that exist already, which pools name
	Range    hcl.Range
}

// Variable is a variable block. Type, Default and the validations are not
// evaluated; they are nil where they are absent.
type Variable struct {
	Name        string
	Description string
	Sensitive   bool
	Type        hcl.Expression
	Default     hcl.Expression
	Validations []Condition
	Range       hcl.Range
}

// Condition is a condition with the message for when it is false.
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
// Namespaces have stages in common: those of one name are one, which comes after all
// that any of them names.
type Stage struct {
	In      *Namespace
	Name    string
	After   []string // the stages that come first
	Serial  hcl.Expression
	MaxFail hcl.Expression
	Range   hcl.Range
	Others  []*Stage // its declarations in other namespaces

	afterRange hcl.Range
}

// Block is a block block: tasks with common meta-arguments. All but these are
// given to its tasks. Absent attributes are nil.
type Block struct {
	In      *Namespace
	Name    string
	Stage   string // empty without one
	Serial  hcl.Expression
	MaxFail hcl.Expression
	Range   hcl.Range
}

// Host is a host block: a machine that tasks bring about or reach with what
// other tasks return. Absent attributes are nil.
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
	ConnectTimeout hcl.Expression
	Pace           hcl.Expression
	Vars           hcl.Expression
	Console        hcl.Expression
	TakeConsole    hcl.Expression
	Screen         hcl.Expression
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

	Stage         string // empty without one
	Host          hcl.Expression
	Hosts         hcl.Expression
	ForEach       hcl.Expression
	RunOnce       hcl.Expression
	When          []hcl.Expression // all of them must be true
	DependsOn     []hcl.Expression // each a list
	Notify        hcl.Expression
	Timeout       hcl.Expression
	Retry         *Retry
	Until         hcl.Expression
	ChangedWhen   hcl.Expression
	FailedWhen    hcl.Expression
	Become        *Become
	Environment   []hcl.Expression // later ones win
	Cwd           hcl.Expression
	Sensitive     bool
	Always        bool
	OnFailure     bool
	FlushHandlers bool

	Args *hclsyntax.Body // the module's arguments: everything else

	stageRange hcl.Range
}

// Address is the task's in the whole plan, such as task.file.motd or
// import.shop.handler.service.web.
func (t *Task) Address() string {
	return t.In.Address(t.root() + "." + t.Module + "." + t.Name)
}

// Secret is a secret block: a value encrypted in the file, or one that a task makes
// at random once. One of the two is nil.
type Secret struct {
	Name      string
	Encrypted hcl.Expression
	Task      *Task // in Tasks too
	Range     hcl.Range
}

// Become is a become argument, which is Value, or a become block, which is User
// and Method. Absent attributes are nil.
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
