package spec

import (
	"maps"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// makers names the module that makes each kind of secret.
var makers = map[string]string{"password": "secret", "token": "secret", "hex": "secret", "ssh_key": "ssh_key"}

// readSecret reads a secret block. A generated secret is a task of a module, with the
// block's other arguments.
func (l *loader) readSecret(b *hclsyntax.Block) {
	s := &Secret{Name: b.Labels[0], Range: b.DefRange()}
	if attr := b.Body.Attributes["kind"]; attr != nil && b.Body.Attributes["encrypted"] != nil {
		l.Errorf(attr.NameRange, "Conflicting arguments", "A secret is encrypted in the file, or made by its kind, not both.")
		return
	}
	if b.Body.Attributes["encrypted"] != nil {
		args, _ := l.content(b, []string{"encrypted"}, nil)
		s.Encrypted = args["encrypted"]
		l.in.Secrets = append(l.in.Secrets, s)
		return
	}
	if s.Task = l.made(b); s.Task != nil {
		l.receive(s.Task)
		l.spec.Tasks = append(l.spec.Tasks, s.Task)
		l.in.Secrets = append(l.in.Secrets, s)
	}
}

// made reads a secret that a task makes, or returns nil if the block is invalid.
func (l *loader) made(b *hclsyntax.Block) *Task {
	attr, kind := b.Body.Attributes["kind"], ""
	if attr == nil {
		l.Errorf(b.DefRange(), "Missing argument", "A secret block needs encrypted, or a kind and a host that keeps it.")
		return nil
	}
	if !l.literal(attr.Expr, &kind) {
		return nil
	}
	module := makers[kind]
	if module == "" {
		l.Errorf(attr.Expr.Range(), "Unknown kind", "A secret is no %q.%s Its kind is password, token, hex or ssh_key.", kind, diag.Near(kind, keys(makers)))
		return nil
	}
	for _, attr := range sorted(b.Body.Attributes) {
		switch attr.Name {
		case "hosts", "for_each", "run_once", "on_failure", "always":
			l.Errorf(attr.NameRange, "Unknown argument", "A secret block has no argument %q: it is one value, which one host keeps.", attr.Name)
			return nil
		}
	}
	if b.Body.Attributes["host"] == nil {
		l.Errorf(b.DefRange(), "Missing argument", "A secret that is made needs the argument \"host\": who keeps it.")
		return nil
	}
	return l.task(asTask(b, module), &Task{})
}

// asTask returns the task block for a secret block. The secret module names the kind
// "format".
func asTask(b *hclsyntax.Block, module string) *hclsyntax.Block {
	body := *b.Body
	body.Attributes = maps.Clone(b.Body.Attributes)
	delete(body.Attributes, "kind")
	if module == "secret" {
		format := *b.Body.Attributes["kind"]
		format.Name = "format"
		body.Attributes["format"] = &format
	}
	task := *b
	task.Type, task.Body = "task", &body
	task.Labels = []string{module, b.Labels[0]}
	task.LabelRanges = append(b.LabelRanges[:1:1], b.LabelRanges...)
	return &task
}
