package roles

import (
	"errors"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// places are what a file of a playbook declares, by address: task.copy.conf, local.hosts,
// block.server. A block may be in blocks; an import without a label is "import".
func places(file string) (map[string]bool, error) {
	parsed, diagnostics := hclparse.NewParser().ParseHCLFile(file)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return nil, errors.New("it is not in HCL's own syntax")
	}
	all := map[string]bool{}
	declared(body, all)
	return all, nil
}

func declared(body *hclsyntax.Body, all map[string]bool) {
	for _, block := range body.Blocks {
		switch block.Type {
		case "locals":
			for name := range block.Body.Attributes {
				all["local."+name] = true
			}
		case "variable":
			all["var."+block.Labels[0]] = true
		case "task", "handler", "import", "stage", "output":
			all[strings.Join(append([]string{block.Type}, block.Labels...), ".")] = true
		case "block":
			all["block."+block.Labels[0]] = true
			declared(block.Body, all)
		}
	}
}

// undescribed are the variables of a file without a description.
func undescribed(file string) ([]string, error) {
	parsed, diagnostics := hclparse.NewParser().ParseHCLFile(file)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	content, _, diagnostics := parsed.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "variable", LabelNames: []string{"name"}}}})
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	var names []string
	for _, block := range content.Blocks {
		attributes, _ := block.Body.JustAttributes()
		if attributes["description"] == nil {
			names = append(names, block.Labels[0])
		}
	}
	return names, nil
}
