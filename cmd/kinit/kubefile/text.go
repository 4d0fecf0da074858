package kubefile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// text is a file as lines, with where its parts are.
type text struct {
	lines []string // with their line ends
	root  *yaml.Node
}

// newText is nil for a file that has no mapping in block style.
func newText(file []byte) *text {
	var document yaml.Node
	if err := yaml.Unmarshal(file, &document); err != nil || len(document.Content) != 1 {
		return nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return nil
	}
	whole := string(file)
	if !strings.HasSuffix(whole, "\n") {
		whole += "\n"
	}
	return &text{lines: slices.Collect(strings.Lines(whole)), root: root}
}

func (t *text) bytes() []byte { return []byte(strings.Join(t.lines, "")) }

// at finds a key: its line, from 0, the line after its value, and its value.
func (t *text) at(key string) (from, to int, value *yaml.Node) {
	for i := 0; i < len(t.root.Content); i += 2 {
		if t.root.Content[i].Value != key {
			continue
		}
		to = len(t.lines)
		if i+2 < len(t.root.Content) {
			to = t.root.Content[i+2].Line - 1
		}
		from = t.root.Content[i].Line - 1
		return from, t.trimmed(from, to), t.root.Content[i+1]
	}
	return 0, 0, nil
}

// trimmed leaves out the empty lines and comments before a line: they belong to what
// follows.
func (t *text) trimmed(from, to int) int {
	for to > from+1 {
		line := strings.TrimSpace(t.lines[to-1])
		if line != "" && !strings.HasPrefix(line, "#") && line != "..." {
			break
		}
		to--
	}
	return to
}

func (t *text) splice(from, to int, with string) bool {
	t.lines = slices.Replace(t.lines, from, to, with)
	return true
}

// line sets a key with a value of one line.
func (t *text) line(key, with string) bool {
	from, to, value := t.at(key)
	if value == nil {
		return t.splice(len(t.lines), len(t.lines), with)
	}
	return value.Kind == yaml.ScalarNode && to == from+1 && t.splice(from, to, with)
}

// replace puts an item in the place of a list's one with a name, or at the list's end.
// An empty item takes it out. It reports whether it could.
func (t *text) replace(list, name, item string) bool {
	from, to, value := t.at(list)
	switch {
	case value == nil:
		return item == "" || t.splice(len(t.lines), len(t.lines), list+":\n"+item)
	case len(value.Content) == 0:
		return item == "" || to == from+1 && t.splice(from, to, list+":\n"+item)
	case value.Kind != yaml.SequenceNode || value.Style&yaml.FlowStyle != 0:
		return false
	}
	indent := value.Column - 1
	if indent < 0 || !strings.HasPrefix(t.lines[value.Line-1], strings.Repeat(" ", indent)+"-") {
		return false
	}
	item = indented(item, indent)
	for i, one := range value.Content {
		if entryName(one) != name {
			continue
		}
		end := to
		if i+1 < len(value.Content) {
			end = t.trimmed(one.Line-1, value.Content[i+1].Line-1)
		}
		if item == "" && len(value.Content) == 1 {
			return t.splice(from, end, list+": []\n")
		}
		return t.splice(one.Line-1, end, item)
	}
	return item == "" || t.splice(to, to, item)
}

func entryName(item *yaml.Node) string {
	for i := 0; i+1 < len(item.Content); i += 2 {
		if item.Content[i].Value == "name" {
			return item.Content[i+1].Value
		}
	}
	return ""
}

func indented(item string, by int) string {
	var out strings.Builder
	for line := range strings.Lines(item) {
		out.WriteString(strings.Repeat(" ", by) + line)
	}
	return out.String()
}
