package plan

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// secret records a reference to a secret that a task makes, and tells of one that
// there is not.
func (f *finder) secret(t hcl.Traversal) {
	at := t.SourceRange()
	if len(t) < 2 {
		f.errorf(at, "Invalid reference", "Name a secret, as in secret.password.")
		return
	}
	name, _ := stepKey(t[1])
	if block := f.secrets[name]; block != nil {
		f.add(block, nil, at)
		return
	}
	if _, ok := f.decrypted[name]; !ok {
		names := append(slices.Collect(maps.Keys(f.secrets)), slices.Collect(maps.Keys(f.decrypted))...)
		f.errorf(at, "Unknown secret", "There is no secret.%s.%s", name, diag.Near(name, names))
	}
}

// variables is what task, secret and relays mean in expressions with these references.
// The caller must not change the map.
func (r references) variables(s *space, values *Values) map[string]cty.Value {
	if len(r) == 0 {
		return s.nothing
	}
	secrets := maps.Clone(s.decrypted)
	for name, block := range s.secrets {
		if slices.Contains(r.blocks(), block) {
			secrets[name] = madeSecret(r.of(block, values))
		}
	}
	all := map[string]cty.Value{"task": r.object(values), "secret": cty.ObjectVal(secrets)}
	r.addRelays(all, s, values)
	return all
}

// madeSecret is a secret that a task made: its value, or a key pair.
func madeSecret(outputs cty.Value) cty.Value {
	if t := outputs.Type(); t.IsObjectType() && t.HasAttribute("value") {
		return outputs.GetAttr("value")
	}
	return outputs
}
