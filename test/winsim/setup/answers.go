// Package setup is Windows Setup on the simulated machine: it reads the answer file of a
// CD, holds it to the settings that it knows, and installs, names and starts the machine
// as the answers say, with the reboots that Setup makes. A sealed machine starts as a
// copy of an image does.
package setup

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// element is an element of an answer file.
type element struct {
	name     string
	attrs    map[string]string
	text     string
	children []*element
}

// answers is an answer file: components by pass and name.
type answers struct {
	components map[string]*element
}

// Namespaces of answer files.
const (
	unattendSpace = "urn:schemas-microsoft-com:unattend"
	configSpace   = "http://schemas.microsoft.com/WMIConfig/2002/State"
)

// parse reads an answer file and refuses what is not known.
func parse(text []byte) (*answers, error) {
	root, err := tree(text)
	if err != nil {
		return nil, err
	}
	if root.name != "unattend" {
		return nil, fmt.Errorf("the answer file begins with %s, want unattend", root.name)
	}
	a := &answers{components: map[string]*element{}}
	var unknown []error
	for _, settings := range root.children {
		pass := settings.attrs["pass"]
		if settings.name != "settings" || !slices.Contains(passes(), pass) {
			unknown = append(unknown, fmt.Errorf("%s of the pass %q is not known", settings.name, pass))
			continue
		}
		for _, c := range settings.children {
			unknown = append(unknown, a.add(pass, c))
		}
	}
	return a, errors.Join(unknown...)
}

// passes are the configuration passes in the order in which Setup runs them.
func passes() []string {
	return []string{"windowsPE", "offlineServicing", "generalize", "specialize", "auditSystem", "auditUser", "oobeSystem"}
}

// add keeps a component of a pass.
func (a *answers) add(pass string, c *element) error {
	name := c.attrs["name"]
	where := pass + "/" + name
	for attribute, want := range map[string]string{
		"processorArchitecture": "amd64", "publicKeyToken": "31bf3856ad364e35", "language": "neutral", "versionScope": "nonSxS",
	} {
		if c.attrs[attribute] != want {
			return fmt.Errorf("%s has %s %q, want %q", where, attribute, c.attrs[attribute], want)
		}
	}
	known, ok := schema()[where]
	if !ok || c.name != "component" {
		return fmt.Errorf("the component %s is not known", where)
	}
	if a.components[where] != nil {
		return fmt.Errorf("the component %s is there twice", where)
	}
	a.components[where] = c
	var unknown []error
	for _, path := range c.leaves("") {
		if !slices.Contains(known, path) {
			unknown = append(unknown, fmt.Errorf("the setting %s/%s is not known", where, path))
		}
	}
	return errors.Join(unknown...)
}

// leaves are the paths of the elements that have no others in them.
func (e *element) leaves(prefix string) []string {
	var all []string
	for _, c := range e.children {
		path := strings.TrimPrefix(prefix+"/"+c.name, "/")
		if len(c.children) == 0 {
			all = append(all, path)
			continue
		}
		all = append(all, c.leaves(path)...)
	}
	return all
}

// tree reads XML into elements.
func tree(text []byte) (*element, error) {
	decoder := xml.NewDecoder(strings.NewReader(string(text)))
	var stack []*element
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the answer file is empty")
		}
		if err != nil {
			return nil, fmt.Errorf("read the answer file: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			e, err := start(t)
			if err != nil {
				return nil, err
			}
			if len(stack) > 0 {
				top := stack[len(stack)-1]
				top.children = append(top.children, e)
			}
			stack = append(stack, e)
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text += string(t)
			}
		case xml.EndElement:
			done := stack[len(stack)-1]
			done.text = strings.TrimSpace(done.text)
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return done, nil
			}
		}
	}
}

func start(t xml.StartElement) (*element, error) {
	if t.Name.Space != unattendSpace {
		return nil, fmt.Errorf("the element %s is of the namespace %q, want %q", t.Name.Local, t.Name.Space, unattendSpace)
	}
	e := &element{name: t.Name.Local, attrs: map[string]string{}}
	for _, a := range t.Attr {
		if a.Name.Space != "" && a.Name.Space != configSpace && a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			return nil, fmt.Errorf("the attribute %s of %s is of the namespace %q", a.Name.Local, e.name, a.Name.Space)
		}
		e.attrs[a.Name.Local] = a.Value
	}
	return e, nil
}

// all returns the elements at a path below a component; none where the component is not
// there.
func (a *answers) all(pass, component, path string) []*element {
	c := a.components[pass+"/"+component]
	if c == nil {
		return nil
	}
	return c.at(path)
}

// at returns the elements at a path.
func (e *element) at(path string) []*element {
	here := []*element{e}
	for name := range strings.SplitSeq(path, "/") {
		var next []*element
		for _, one := range here {
			for _, c := range one.children {
				if c.name == name {
					next = append(next, c)
				}
			}
		}
		here = next
	}
	return here
}

// value is the text of the first element at a path, and whether there is one.
func (e *element) value(path string) (string, bool) {
	if found := e.at(path); len(found) > 0 {
		return found[0].text, true
	}
	return "", false
}

// value is the text of a setting, and whether there is one.
func (a *answers) value(pass, component, path string) (string, bool) {
	if found := a.all(pass, component, path); len(found) > 0 {
		return found[0].text, true
	}
	return "", false
}

// inOrder sorts elements by their Order.
func inOrder(all []*element) []*element {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(x, y *element) int { return x.number("Order") - y.number("Order") })
	return sorted
}

// number is a whole number below an element, 0 where there is none.
func (e *element) number(path string) int {
	text, _ := e.value(path)
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// password is what an element with PlainText and Value says. A hidden one has the name
// of its setting behind it.
func (e *element) password() (string, error) {
	text, _ := e.value("Value")
	if plain, _ := e.value("PlainText"); plain != "false" {
		return text, nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%2 != 0 {
		return "", fmt.Errorf("%s is not hidden as Windows hides passwords", e.name)
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	hidden, ok := strings.CutSuffix(string(utf16.Decode(units)), e.name)
	if !ok {
		return "", fmt.Errorf("%s is hidden without the name of its setting", e.name)
	}
	return hidden, nil
}
