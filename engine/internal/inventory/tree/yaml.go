package tree

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/literal"
	"kinit/engine/internal/inventory/source"
)

// mostNodes is how many values a file may have after its aliases are replaced: a
// few lines of aliases of aliases would fill the memory.
const mostNodes = 1_000_000

// deepest is how deep values may be nested.
const deepest = 200

// YAML reads a file with one document. The node is nil for an empty file, and when
// the file is no YAML.
func YAML(text *source.Text) (*Node, diag.List) {
	r := &yamlReader{reader: reader{text: text}, within: map[*yaml.Node]bool{}}
	decoder := yaml.NewDecoder(bytes.NewReader(text.Bytes))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		r.syntax(err)
		return nil, r.Diags
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		r.Errorf(r.text.LineRange(second.Line), "Invalid YAML", "A second document begins here; an inventory and a file of variables have one.")
		return nil, r.Diags
	case !errors.Is(err, io.EOF):
		r.syntax(err)
		return nil, r.Diags
	}
	root := r.node(document.Content[0], 0)
	if r.Diags.HasErrors() {
		return nil, r.Diags
	}
	return root, r.Diags
}

type yamlReader struct {
	reader
	count  int                 // of nodes that were translated
	full   bool                // there are too many
	within map[*yaml.Node]bool // anchors whose content is being read
	unsafe int                 // how many !unsafe tags there are around the node
}

// node translates a node. It returns null for one that is wrong, which was told.
func (r *yamlReader) node(n *yaml.Node, depth int) *Node {
	null := &Node{At: r.at(n)}
	if r.count++; r.full {
		return null
	}
	if r.count > mostNodes || depth > deepest {
		r.full = true
		r.Errorf(r.at(n), "Too much YAML", "A file may have %d values, with aliases replaced, nested %d deep.", mostNodes, deepest)
		return null
	}
	if n.Kind == yaml.AliasNode {
		if r.within[n.Alias] {
			r.Errorf(r.at(n), "Invalid YAML", "The alias *%s stands within what it is an alias for.", n.Value)
			return null
		}
		return r.node(n.Alias, depth)
	}
	if n.Anchor != "" {
		r.within[n] = true
		defer delete(r.within, n)
	}
	return r.tagged(n, depth)
}

func (r *yamlReader) tagged(n *yaml.Node, depth int) *Node {
	if n.Style&yaml.TaggedStyle != 0 {
		switch n.Tag {
		case "!vault", "!vault-encrypted":
			return r.encrypted(n.Value, r.at(n))
		case "!unsafe":
			r.unsafe++
			defer func() { r.unsafe-- }()
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp":
		default:
			r.Errorf(r.at(n), "Unknown YAML tag", "The tag %s is not known; of Ansible's tags, kinit knows !unsafe and !vault.", n.Tag)
			return &Node{At: r.at(n)}
		}
	}
	switch n.Kind {
	case yaml.MappingNode:
		return r.mapping(n, depth)
	case yaml.SequenceNode:
		list := &Node{Kind: List, At: r.at(n)}
		for _, item := range n.Content {
			list.Items = append(list.Items, r.node(item, depth+1))
		}
		return list
	}
	return r.scalar(n)
}

func (r *yamlReader) scalar(n *yaml.Node) *Node {
	value := cty.StringVal(n.Value)
	tagged := n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str" && n.Tag != "!unsafe"
	if n.Style == 0 || tagged {
		value = plain(n.Value)
	}
	if value.IsNull() {
		return &Node{At: r.at(n)}
	}
	if value.Type() != cty.String {
		return &Node{Kind: Scalar, At: r.at(n), Scalar: value}
	}
	node := text(n.Value, r.at(n))
	if r.unsafe > 0 {
		node.Unread = source.Known
	}
	return node
}

// mapping translates a map. What "<<" merges into it does not replace its own keys.
func (r *yamlReader) mapping(n *yaml.Node, depth int) *Node {
	m := &Node{Kind: Map, At: r.at(n)}
	var merged []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
			merged = append(merged, r.merged(value, depth)...)
			continue
		}
		if pair, ok := r.key(key); ok {
			pair.Node = r.node(value, depth+1)
			r.put(m, pair)
		}
	}
	for _, other := range merged {
		for _, p := range other.Pairs {
			if m.Get(p.Key) == nil {
				m.set(p)
			}
		}
	}
	return m
}

// merged is the maps behind a "<<".
func (r *yamlReader) merged(n *yaml.Node, depth int) []*Node {
	node := r.node(n, depth+1)
	switch node.Kind {
	case Map:
		return []*Node{node}
	case List:
		return node.Items
	}
	r.Errorf(r.at(n), "Invalid YAML", "What << merges must be a map or a list of maps.")
	return nil
}

func (r *yamlReader) key(n *yaml.Node) (Pair, bool) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		r.Errorf(r.at(n), "Invalid key", `A key must be text. A value that begins with a Jinja expression needs quotes, as in "{{ name }}".`)
		return Pair{}, false
	}
	node := r.scalar(n)
	pair := Pair{At: r.at(n), Key: "null"}
	if node.Kind == Scalar {
		pair.Key, _ = literal.KeyText(node.Scalar)
		_, pair.IsText = node.raw()
	}
	return pair, true
}

// at is the place of a node: all of a scalar of one line, else the rest of its first
// line.
func (r *yamlReader) at(n *yaml.Node) hcl.Range {
	from := r.text.Offset(n.Line, n.Column)
	_, end := r.text.Line(n.Line)
	rest := string(r.text.Bytes[from:max(from, end)])
	if n.Kind == yaml.ScalarNode {
		if length := scalarLength(n, rest); length > 0 {
			return r.text.Range(from, from+length)
		}
	}
	if before, _, found := strings.Cut(rest, " #"); found {
		rest = before
	}
	return r.text.Range(from, from+len(strings.TrimRight(rest, " \t:")))
}

// scalarLength is how many bytes of the rest of a line a scalar has, 0 when that
// is not known.
func scalarLength(n *yaml.Node, rest string) int {
	if n.Value != "" && strings.HasPrefix(rest, n.Value) {
		return len(n.Value)
	}
	if rest == "" || n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return 0
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && rest[0] == '"':
			i++
		case rest[i] == rest[0]:
			return i + 1
		}
	}
	return 0
}

// placed matches a message of the library that names a line.
var placed = regexp.MustCompile(`(?s)^line (\d+): (.*)$`)

// syntax tells of a text that is no YAML. The library's line may be one off, or the
// one in which something began that never ended, so the place is the first line
// with which the beginning of the file no longer is YAML.
func (r *yamlReader) syntax(err error) {
	hint, problem := r.text.Lines(), strings.TrimPrefix(err.Error(), "yaml: ")
	if parts := placed.FindStringSubmatch(problem); parts != nil {
		hint, _ = strconv.Atoi(parts[1])
		problem = parts[2]
	}
	r.Errorf(r.text.LineRange(r.firstBad(hint)), "Invalid YAML", "This line is not as YAML should be: %s.", problem)
}

// mostTries is how many beginnings of a file are looked at to find a bad line.
const mostTries = 200

// firstBad is the line behind the longest good beginning of the file near a line.
func (r *yamlReader) firstBad(hint int) int {
	last := min(hint+2, r.text.Lines())
	for n := last; n > 0 && n > last-mostTries; n-- {
		if _, end := r.text.Line(n); !isYAML(r.text.Bytes[:end]) {
			continue
		}
		for n++; n < r.text.Lines() && r.isBlank(n); n++ { // is not to blame
		}
		return n
	}
	if hint > mostTries {
		return hint
	}
	return 1
}

func (r *yamlReader) isBlank(line int) bool {
	from, to := r.text.Line(line)
	text := bytes.TrimSpace(r.text.Bytes[from:to])
	return len(text) == 0 || text[0] == '#'
}

func isYAML(text []byte) bool {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		if err := decoder.Decode(&n); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
