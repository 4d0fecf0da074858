package bounds

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/zclconf/go-cty/cty"
)

// yamlDecoded refuses YAML as decoded does, and such as makes much of little by names for
// parts that it uses again and again.
func yamlDecoded(args []cty.Value) error {
	if err := decoded(args); err != nil {
		return err
	}
	all, ok := texts(args)
	if !ok || len(all) < 1 || !strings.Contains(all[0], "*") {
		return nil
	}
	var document yaml.Node
	if yaml.Unmarshal([]byte(all[0]), &document) != nil {
		return nil // told by the function
	}
	if (expansion{}).of(&document) > mostElements {
		return fmt.Errorf("more than %d values cannot be meant", mostElements)
	}
	return nil
}

// expansion is how many values each part has when names stand for their parts.
type expansion map[*yaml.Node]int

// of counts. A part that is within itself has no end.
func (e expansion) of(n *yaml.Node) int {
	if known, ok := e[n]; ok {
		return known
	}
	e[n] = mostElements + 1
	total := 1
	if n.Alias != nil {
		total = e.of(n.Alias)
	}
	for _, part := range n.Content {
		total = min(total+e.of(part), mostElements+1)
	}
	e[n] = total
	return total
}
