package spec

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

func blockTypes() map[string]blockType {
	return map[string]blockType{
		"spec":     {[]string{"name"}, `spec "web" { playbook = "web" }`, "", (*loader).readHeader},
		"cluster":  {[]string{"name"}, `cluster "web" { … }`, "", (*loader).readCluster},
		"driver":   {[]string{"name"}, `driver "podman" { summary = "nodes are containers" }`, "", (*loader).readDriver},
		"record":   {nil, `record { fixed = { edition = "small" } }`, "", (*loader).readRecord},
		"variable": {[]string{"name"}, `variable "version" { default = "1" }`, "var", (*loader).readVariable},
		"locals":   {nil, `locals { port = 80 }`, "", (*loader).readLocals},
		"stage":    {[]string{"name"}, `stage "second" { after = ["first"] }`, "stage", (*loader).readStage},
		"host":     {[]string{"name"}, `host "web" { address = "192.0.2.1" }`, "host", (*loader).readHost},
		"block":    groupType(),
		"task":     taskType(),
		"handler":  {[]string{"module", "name"}, `handler "service" "web" { … }`, "", (*loader).readHandler},
		"secret":   {[]string{"name"}, `secret "password" { … }`, "secret", (*loader).readSecret},
		"check":    {[]string{"name"}, `check "answers" { assert { … } }`, "check", (*loader).readCheck},
		"output":   {[]string{"name"}, `output "address" { value = … }`, "output", (*loader).readOutput},
		"import":   importType(),
	}
}

func (l *loader) blocks(body *hclsyntax.Body, isSpec bool) {
	types := blockTypes()
	for _, attr := range sorted(body.Attributes) {
		l.Errorf(attr.NameRange, "Unexpected argument", "An argument must be inside a block; %q is outside of one.", attr.Name)
	}
	for _, b := range body.Blocks {
		t, ok := types[b.Type]
		switch {
		case !ok:
			l.Errorf(b.TypeRange, "Unknown block type", "There is no block %q.%s", b.Type, diag.Hint(b.Type, keys(types)))
		case !isSpec && b.Type == "spec":
			l.Errorf(b.DefRange(), "Misplaced spec block", "A spec block belongs in a spec file; this is a file of a playbook.")
		case l.admitted(b, t):
			t.read(l, b)
		}
	}
}
