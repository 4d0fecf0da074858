package ast

// Statement is a node that is executed. Statements have values too: what they write.
type Statement interface {
	Node
	statement()
}

// ScriptBlock is the body of a script, a function or of { }.
type ScriptBlock struct {
	Extent
	Params   *Params // nil without a param block
	Begin    *Block  // nil without a named block
	Process  *Block
	End      *Block // the body where no block is named
	Advanced bool   // has [CmdletBinding()]
}

// Params is a param block.
type Params struct {
	Extent
	List []*Param
}

// Param is one parameter of a script block.
type Param struct {
	Extent
	Name       string
	Type       *Type // nil for none
	Default    Expr  // nil for none
	Attributes []*Attribute
}

// Attribute is [Name(arguments, name = value)]. A name alone stands for $true.
type Attribute struct {
	Extent
	Name  string
	Args  []Expr
	Named map[string]Expr // by name in lower case; nil stands for $true
}

// Block is a list of statements.
type Block struct {
	Extent
	Statements []Statement
}

type (
	// Pipeline is commands with | between. The first element may be an expression.
	Pipeline struct {
		Extent
		Elements []Element
	}

	// Assignment is target Op value; Op is =, +=, -=, *=, /= or %=.
	Assignment struct {
		Extent
		Target Expr
		Op     string
		Value  Statement
	}

	// If has a condition for each of its branches, and perhaps an else.
	If struct {
		Extent
		Conditions []Statement
		Bodies     []*Block
		Else       *Block
	}

	// Foreach is foreach ($variable in items) { }.
	Foreach struct {
		Extent
		Label    string
		Variable *Variable
		Items    Statement
		Body     *Block
	}

	// For is for (init; condition; next) { }; each of the three may be nil.
	For struct {
		Extent
		Label     string
		Init      Statement
		Condition Statement
		Next      Statement
		Body      *Block
	}

	// While is while (condition) { }, or do { } while (condition) when Do is set, or
	// do { } until (condition) when Until is set too.
	While struct {
		Extent
		Label     string
		Do, Until bool
		Condition Statement
		Body      *Block
	}

	// Try is try, catch and finally.
	Try struct {
		Extent
		Body    *Block
		Catches []*Catch
		Finally *Block
	}

	// Catch is one clause; without types it catches all.
	Catch struct {
		Extent
		Types []*Type
		Body  *Block
	}

	// Flow is return, throw, exit, break or continue, with what follows it, or nil.
	Flow struct {
		Extent
		Word  string
		Label string
		Value Statement
	}

	// Function defines a function.
	Function struct {
		Extent
		Name   string
		Filter bool
		Body   *ScriptBlock
	}
)

func (*Pipeline) statement()   {}
func (*Assignment) statement() {}
func (*If) statement()         {}
func (*Foreach) statement()    {}
func (*For) statement()        {}
func (*While) statement()      {}
func (*Try) statement()        {}
func (*Flow) statement()       {}
func (*Function) statement()   {}
func (*Block) statement()      {}

// Element is a command or an expression of a pipeline.
type Element interface {
	Node
	element()
}

// CommandExpr is an expression as an element of a pipeline.
type CommandExpr struct {
	Extent
	Expr         Expr
	Redirections []Redirection
}

// Command is a name with arguments. Operator is "&", "." or empty.
type Command struct {
	Extent
	Operator     string
	Name         Expr
	Args         []Arg
	Redirections []Redirection
}

// Arg is an argument of a command: -Parameter, -Parameter:value or a value.
type Arg struct {
	Extent
	Parameter string // without its dash; empty for a value
	Value     Expr   // nil for a parameter without one of its own
}

// Redirection sends a stream elsewhere. From is '1' to '6' or '*'; To is "&1" for
// merging, else the target is an expression.
type Redirection struct {
	Extent
	From   byte
	Append bool
	Merge  bool // into the output
	Target Expr
}

func (*CommandExpr) element() {}
func (*Command) element()     {}
