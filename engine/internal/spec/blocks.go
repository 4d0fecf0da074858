package spec

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// blockType is one kind of block at the top of a file.
type blockType struct {
	labels  []string // the meaning of each label; an optional one ends with "?"
	example string
	read    func(l *loader, b *hclsyntax.Block)
}

// blockTypes lists the blocks of the language.
func blockTypes() map[string]blockType {
	return map[string]blockType{
		"spec":     {[]string{"name"}, `spec "web" { playbook = "web" }`, (*loader).readHeader},
		"cluster":  {[]string{"name"}, `cluster "web" { … }`, (*loader).readCluster},
		"driver":   {[]string{"name"}, `driver "podman" { summary = "nodes are containers" }`, (*loader).readDriver},
		"variable": {[]string{"name"}, `variable "version" { default = "1" }`, (*loader).readVariable},
		"locals":   {nil, `locals { port = 80 }`, (*loader).readLocals},
		"stage":    {[]string{"name"}, `stage "second" { after = ["first"] }`, (*loader).readStage},
		"host":     {[]string{"name"}, `host "web" { address = "192.0.2.1" }`, (*loader).readHost},
		"block":    {[]string{"name"}, `block "deploy" { … }`, (*loader).readBlock},
		"task":     {[]string{"module", "name"}, `task "file" "motd" { … }`, (*loader).readTask},
		"handler":  {[]string{"module", "name"}, `handler "service" "web" { … }`, (*loader).readHandler},
		"secret":   {[]string{"name"}, `secret "password" { … }`, (*loader).readSecret},
		"check":    {[]string{"name"}, `check "answers" { assert { … } }`, (*loader).readCheck},
		"output":   {[]string{"name"}, `output "address" { value = … }`, (*loader).readOutput},
		"import":   {[]string{"name?"}, `import "shop" { source = "shop" }`, (*loader).readImport},
	}
}

// blocks reads the blocks of one file.
func (l *loader) blocks(body *hclsyntax.Body, isSpec bool) {
	types := blockTypes()
	for _, attr := range sorted(body.Attributes) {
		l.errorf(attr.NameRange, "Unexpected argument", "An argument must be inside a block; %q is outside of one.", attr.Name)
	}
	for _, b := range body.Blocks {
		t, ok := types[b.Type]
		switch {
		case !ok:
			l.errorf(b.TypeRange, "Unknown block type", "There is no block %q.%s", b.Type, diag.Near(b.Type, keys(types)))
		case !isSpec && b.Type == "spec":
			l.errorf(b.DefRange(), "Misplaced spec block", "A spec block belongs in a spec file; this is a file of a playbook.")
		case l.labelled(b, t):
			t.read(l, b)
		}
	}
}

// labelled reports whether a block has the right labels, all of them names that expressions
// can use.
func (l *loader) labelled(b *hclsyntax.Block, t blockType) bool {
	optional := len(t.labels) > 0 && strings.HasSuffix(t.labels[len(t.labels)-1], "?")
	if len(b.Labels) != len(t.labels) && !(optional && len(b.Labels) == len(t.labels)-1) {
		l.errorf(b.DefRange(), "Wrong labels", "%s block has %s, as in: %s", article(b.Type), wants(t.labels), t.example)
		return false
	}
	for i, label := range b.Labels {
		if !hclsyntax.ValidIdentifier(label) && b.Type != "spec" {
			l.errorf(b.LabelRanges[i], "Invalid name", "The %s of %s block starts with a letter and has letters, digits, _ and - only.", strings.TrimSuffix(t.labels[i], "?"), strings.ToLower(article(b.Type)))
			return false
		}
	}
	return true
}

func wants(labels []string) string {
	switch len(labels) {
	case 0:
		return "no label"
	case 1:
		if name, optional := strings.CutSuffix(labels[0], "?"); optional {
			return "no label, or one, its " + name
		}
		return "one label, its " + labels[0]
	}
	return fmt.Sprintf("%d labels, %s", len(labels), strings.Join(labels, " and "))
}

// claim reports whether an address is free in its namespace, and takes it.
func (l *loader) claim(what, address string, at hcl.Range) bool {
	first, taken := l.places[l.in.Address(address)]
	if taken {
		l.errorf(at, "Duplicate "+what, "%s is declared already, at %s.", address, first)
		return false
	}
	l.places[l.in.Address(address)] = at
	return true
}

func (l *loader) errorf(at hcl.Range, summary, format string, args ...any) {
	l.diags = append(l.diags, diag.Errorf(&at, summary, format, args...)...)
}
