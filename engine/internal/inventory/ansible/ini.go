package ansible

import (
	"errors"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/literal"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/inventory/tree"
)

// The kinds of sections in INI files.
const (
	ofHosts    = "hosts"
	ofVars     = "vars"
	ofChildren = "children"
)

// sectionForm is a line with the name of a section.
var sectionForm = regexp.MustCompile(`^\[([^:\]\s]+)(?::([^\]]*))?\]\s*(?:#.*)?$`)

// INI reads an inventory in Ansible's INI format.
func INI(text *source.Text) *source.Document {
	r := &iniReader{text: text, doc: &source.Document{}, group: source.Ungrouped, kind: ofHosts, known: map[string]bool{source.All: true, source.Ungrouped: true}}
	for n := 1; n <= text.Lines(); n++ {
		r.line(text.Line(n))
	}
	r.checkNames()
	return r.doc
}

type iniReader struct {
	text  *source.Text
	doc   *source.Document
	group string // of the section
	kind  string // of the section; empty means that the section is wrong
	known map[string]bool
	uses  []use // of groups that may be declared further down
}

// use is a group that a section names and does not declare.
type use struct {
	source.Ref
	section string
}

func (r *iniReader) line(from, to int) {
	line := string(r.text.Bytes[from:to])
	from += len(line) - len(strings.TrimLeft(line, " \t\ufeff"))
	line = strings.TrimSpace(strings.TrimLeft(line, " \t\ufeff"))
	switch {
	case line == "" || line[0] == '#' || line[0] == ';':
	case line[0] == '[' && r.section(line, from):
	case r.kind == ofHosts:
		r.hosts(line, from)
	case r.kind == ofVars:
		r.variable(line, from)
	case r.kind == ofChildren:
		r.child(line, from)
	}
}

// section reads the name of a section. A line of hosts may begin with a range, so
// it returns whether the line is one.
func (r *iniReader) section(line string, from int) bool {
	at := r.text.Range(from, from+len(line))
	parts := sectionForm.FindStringSubmatch(line)
	if parts == nil {
		if looksLikeHosts(line) {
			return false
		}
		r.kind = ""
		r.doc.Errorf(at, "Invalid section", "A section is [group], [group:vars] or [group:children], with nothing but a # comment behind it.")
		return true
	}
	r.group, r.kind = parts[1], parts[2]
	name := source.Ref{Name: r.group, At: r.text.Range(from+1, from+1+len(r.group))}
	if name := r.group; !strings.HasPrefix(line, "["+name+":") {
		r.kind = ofHosts
	}
	switch r.kind {
	case ofHosts, ofChildren:
		r.known[name.Name] = true
		r.doc.Group(name.Name, name.At)
	case ofVars:
		r.uses = append(r.uses, use{name, line})
		r.doc.Group(name.Name, name.At)
	default:
		kind := r.text.Range(from+2+len(r.group), from+2+len(r.group)+len(parts[2]))
		r.doc.Errorf(kind, "Unknown section", "There is no section [%s:%s], only [%s], [%s:vars] and [%s:children].%s",
			r.group, r.kind, r.group, r.group, r.group, diag.Near(r.kind, []string{ofVars, ofChildren}))
		r.kind = ""
	}
	return true
}

// looksLikeHosts reports whether a line in brackets begins with a range or an IPv6
// address and no section.
func looksLikeHosts(line string) bool {
	inner, _, closed := strings.Cut(line[1:], "]")
	return closed && strings.Contains(inner, ":") && !strings.HasSuffix(inner, ":"+ofVars) && !strings.HasSuffix(inner, ":"+ofChildren)
}

// hosts reads a line of a host, or of a range of hosts, and its variables.
func (r *iniReader) hosts(line string, from int) {
	all, err := words(line)
	var bad *wordError
	if errors.As(err, &bad) {
		r.doc.Errorf(r.text.Range(from+bad.from, from+len(line)), "Invalid line", "%s", bad.text)
		return
	}
	if len(all) == 0 {
		return
	}
	vars := source.Vars{}
	for i, w := range all[1:] {
		if !r.assignment(w, line, from, vars) {
			r.badAssignment(all[i], w, from)
			return
		}
	}
	at := r.text.Range(from+all[0].from, from+all[0].to)
	group := r.doc.Group(r.group, at)
	for _, name := range addHosts(r.doc, all[0].text, at, vars) {
		group.Hosts = append(group.Hosts, source.Ref{Name: name, At: at})
	}
}

// assignment reads a variable behind the name of a host, if it is one.
func (r *iniReader) assignment(w word, line string, from int, into source.Vars) bool {
	at := r.text.Range(from+w.from, from+w.to)
	name, text, found := strings.Cut(w.text, "=")
	if !found || name == "" {
		return false
	}
	if equals := strings.IndexByte(line[w.from:w.to], '='); equals >= 0 && equals+1 < w.to-w.from {
		at = r.text.Range(from+w.from+equals+1, from+w.to)
	}
	into[name] = iniValue(text, at)
	return true
}

// badAssignment tells of a word that is no variable, and what the word before it has
// to do with that.
func (r *iniReader) badAssignment(before, w word, from int) {
	if strings.Count(before.text, "{{") > strings.Count(before.text, "}}") {
		r.doc.Errorf(r.text.Range(from+before.from, from+w.to), "Invalid variable", "A value with spaces in it, such as a Jinja expression, needs quotes, as in name=\"{{ other }}\".")
		return
	}
	r.doc.Errorf(r.text.Range(from+w.from, from+w.to), "Invalid variable", "Behind the name of a host come variables as name=value, without spaces around the =; %q is none.", w.text)
}

// variable reads a line of a [group:vars] section.
func (r *iniReader) variable(line string, from int) {
	before, text, found := strings.Cut(line, "=")
	name := strings.TrimSpace(before)
	if !found || name == "" {
		r.doc.Errorf(r.text.Range(from, from+len(line)), "Invalid variable", "A section [%s:vars] has lines name=value; this is none.", r.group)
		return
	}
	value := strings.TrimSpace(text)
	start := from + len(line) - len(strings.TrimLeft(text, " \t"))
	at := r.text.Range(start, start+len(value))
	if value == "" {
		at = r.text.Range(from, from+len(line))
	}
	r.doc.Group(r.group, at).Vars[name] = iniValue(value, at)
}

// iniValue is a value as Ansible takes it in both kinds of sections: a literal of
// Python when it is one, else the text itself.
func iniValue(text string, at hcl.Range) source.Value {
	if tree.IsTemplate(text) {
		return source.Value{Unread: source.Jinja, At: at}
	}
	value, ok := literal.Parse(text)
	if !ok {
		value = cty.StringVal(text)
	}
	return source.Value{Value: value, At: at}
}

// child reads a line of a [group:children] section.
func (r *iniReader) child(line string, from int) {
	name, _, _ := strings.Cut(line, "#")
	name = strings.TrimSpace(name)
	at := r.text.Range(from, from+len(name))
	if name == "" || strings.ContainsAny(name, " \t[]:=") {
		r.doc.Errorf(at, "Invalid group", "A section [%s:children] has the name of one group a line; %q is none.", r.group, name)
		return
	}
	ref := source.Ref{Name: name, At: at}
	r.uses = append(r.uses, use{ref, "[" + r.group + ":children]"})
	parent := r.doc.Group(r.group, at)
	parent.Children = append(parent.Children, ref)
	r.doc.Group(name, at)
}

// checkNames tells of groups that no section declares.
func (r *iniReader) checkNames() {
	var names []string
	for _, g := range r.doc.Groups {
		if r.known[g.Name] {
			names = append(names, g.Name)
		}
	}
	for _, u := range r.uses {
		if !r.known[u.Name] {
			r.doc.Errorf(u.At, "Unknown group", "%s needs a group %q, which no section of this file declares.%s", u.section, u.Name, diag.Near(u.Name, names))
		}
	}
}
