package bounds

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/zclconf/go-cty/cty"
)

// yamlDecoded rejects YAML as decoded does, and YAML that becomes large through repeated
// aliases.
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
		return nil // the function reports the error
	}
	if (expansion{}).of(&document) > mostElements {
		return fmt.Errorf("more than %d values cannot be meant", mostElements)
	}
	return nil
}

// expansion is the number of values of each part after aliases are replaced.
type expansion map[*yaml.Node]int

// of counts the values of a part. A part that contains itself is infinite.
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
