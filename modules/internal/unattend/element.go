package unattend

import (
	"encoding/xml"
	"fmt"
	"slices"
)

// element is an element of the document: a setting with a value, or one with further elements.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Value      string     `xml:",chardata"`
	Inner      []element  `xml:",any"`
}

// set is a setting.
func set(name string, value any) element {
	return element{XMLName: xml.Name{Local: name}, Value: fmt.Sprint(value)}
}

// given is a setting that is left out where its value is zero.
func given[T comparable](name string, value T) element {
	if value == *new(T) {
		return element{}
	}
	return set(name, value)
}

// in is an element with others in it, without those that are left out.
func in(name string, inner ...element) element {
	inner = slices.DeleteFunc(inner, func(e element) bool { return e.XMLName.Local == "" })
	return element{XMLName: xml.Name{Local: name}, Inner: inner}
}

// add is an item of a list.
func add(name string, inner ...element) element { return in(name, inner...).with("wcm:action", "add") }

// with adds an attribute.
func (e element) with(name, value string) element {
	e.Attributes = append(e.Attributes, xml.Attr{Name: xml.Name{Local: name}, Value: value})
	return e
}

// component is a component of Windows with its settings. All attributes but the name are the same for
// every component of 64-bit Windows.
func component(name string, settings ...element) element {
	return in("component", settings...).with("name", name).with("processorArchitecture", "amd64").
		with("publicKeyToken", "31bf3856ad364e35").with("language", "neutral").with("versionScope", "nonSxS")
}

// pass are the components of one configuration pass.
func pass(name string, components ...element) element {
	return in("settings", components...).with("pass", name)
}

func document(passes ...element) ([]byte, error) {
	root := in("unattend", passes...).with("xmlns", "urn:schemas-microsoft-com:unattend").
		with("xmlns:wcm", "http://schemas.microsoft.com/WMIConfig/2002/State")
	text, err := xml.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}
