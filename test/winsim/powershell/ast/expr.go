package ast

// Node is anything of the tree.
type Node interface{ At() Extent }

// Expr is a node that has a value.
type Expr interface {
	Node
	expr()
}

type (
	// Number is a literal such as 7, 0x1F, 1.5 or 4MB. Value is an int32, int64 or
	// float64; native programs get the text.
	Number struct {
		Extent
		Value any
	}

	// String is text without variables: in single quotes, a bare word, or a part of an
	// Expandable.
	String struct {
		Extent
		Value string
		Bare  bool
	}

	// Expandable is text with variables and subexpressions in it.
	Expandable struct {
		Extent
		Parts []Expr
		Bare  bool
	}

	// Variable is $name, $scope:name or, as an argument, @name. Scope is in lower case
	// and empty for none.
	Variable struct {
		Extent
		Scope, Name string
		Splat       bool
	}

	// Paren is (pipeline).
	Paren struct {
		Extent
		Body Statement
	}

	// Sub is $(statements), or @(statements) when Array is set.
	Sub struct {
		Extent
		Body  *Block
		Array bool
	}

	// List is a, b, c.
	List struct {
		Extent
		Items []Expr
	}

	// Hash is @{ key = value }.
	Hash struct {
		Extent
		Keys   []Expr
		Values []Statement
	}

	// ScriptBlockExpr is { statements } as a value.
	ScriptBlockExpr struct {
		Extent
		Block *ScriptBlock
	}

	// Type is [name] as a value. Name is as written, with its arguments and brackets.
	Type struct {
		Extent
		Name string
	}

	// Cast is [name]operand.
	Cast struct {
		Extent
		Type    *Type
		Operand Expr
	}

	// Unary is an operator before its operand: -not, -bnot, -, +, -split, -join or the
	// comma. Op is in lower case.
	Unary struct {
		Extent
		Op      string
		Operand Expr
	}

	// Step is ++ or --, before or after its operand.
	Step struct {
		Extent
		Op      string
		Prefix  bool
		Operand Expr
	}

	// Binary is left Op right, Op in lower case, with its dash.
	Binary struct {
		Extent
		Op          string
		Left, Right Expr
	}

	// Index is target[index].
	Index struct {
		Extent
		Target, Index Expr
	}

	// Member is target.name or target::name.
	Member struct {
		Extent
		Target Expr
		Name   Expr
		Static bool
	}

	// Invoke is target.name(args) or target::name(args).
	Invoke struct {
		Extent
		Target Expr
		Name   Expr
		Static bool
		Args   []Expr
	}
)

func (*Number) expr()          {}
func (*String) expr()          {}
func (*Expandable) expr()      {}
func (*Variable) expr()        {}
func (*Paren) expr()           {}
func (*Sub) expr()             {}
func (*List) expr()            {}
func (*Hash) expr()            {}
func (*ScriptBlockExpr) expr() {}
func (*Type) expr()            {}
func (*Cast) expr()            {}
func (*Unary) expr()           {}
func (*Step) expr()            {}
func (*Binary) expr()          {}
func (*Index) expr()           {}
func (*Member) expr()          {}
func (*Invoke) expr()          {}
