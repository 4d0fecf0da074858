package value

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// GUID is a System.Guid.
type GUID [16]byte

// NewGUID is a random one.
func NewGUID() GUID { return GUID(uuid.New()) }

// String is the usual form, in small letters.
func (g GUID) String() string { return uuid.UUID(g).String() }

func convertGUID(v any) (any, error) {
	switch g := Base(v).(type) {
	case GUID:
		return g, nil
	case string:
		id, err := uuid.Parse(strings.Trim(strings.TrimSpace(g), "{}()"))
		if err != nil {
			return nil, cannotParse(g, "System.Guid", "Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).")
		}
		return GUID(id), nil
	}
	return nil, cannot(v, "System.Guid")
}

// Version is a System.Version as text.
type Version string

// NewEnum is a value of an enumeration.
func NewEnum(typeName, name string, number int64) Enum {
	return Enum{Type: typeName, Name: name, Number: number}
}

// EnumType is an enumeration: its names in order, with their numbers.
type EnumType struct {
	Name   string
	Flags  bool
	Values []Enum
}

// Of makes an enumeration of names that count from 0.
func Of(typeName string, names ...string) EnumType {
	e := EnumType{Name: typeName}
	for i, name := range names {
		e.Values = append(e.Values, NewEnum(typeName, name, int64(i)))
	}
	return e
}

// Convert is a name, a number or another value as one of the enumeration.
func (e EnumType) Convert(v any) (any, error) {
	switch x := Base(v).(type) {
	case Enum:
		if x.Type == e.Name {
			return x, nil
		}
		return e.number(x.Number), nil
	case string:
		return e.parse(x)
	}
	n, ok := Integer(Base(v))
	if !ok {
		return nil, cannot(v, e.Name)
	}
	return e.number(n), nil
}

func (e EnumType) parse(text string) (any, error) {
	total, names := int64(0), []string{}
	for _, word := range strings.Split(text, ",") {
		one, ok := e.find(strings.TrimSpace(word))
		if !ok {
			return nil, e.noSuch(text)
		}
		total |= one.Number
		names = append(names, one.Name)
	}
	if len(names) == 1 {
		one, _ := e.find(names[0])
		return one, nil
	}
	return e.number(total), nil
}

func (e EnumType) noSuch(text string) error {
	names := make([]string, len(e.Values))
	for i, one := range e.Values {
		names[i] = one.Name
	}
	reason := fmt.Sprintf("Unable to match the identifier name %s to a valid enumerator name. Specify one of the following enumerator names and try again:\r\n%s", text, strings.Join(names, ", "))
	x := NewException("System.Management.Automation.PSInvalidCastException", fmt.Sprintf(`Cannot convert value "%s" to type "%s". Error: "%s"`, text, e.Name, reason))
	x.Extra = []*Property{P("ErrorId", "SubstringDisambiguationEnumParseThrewAnException")}
	return x
}

func (e EnumType) find(name string) (Enum, bool) {
	for _, one := range e.Values {
		if strings.EqualFold(one.Name, name) {
			return one, true
		}
	}
	return Enum{}, false
}

// number is the value of a number: by name, by the names of its flags, or by itself.
func (e EnumType) number(n int64) Enum {
	for _, one := range e.Values {
		if one.Number == n {
			return one
		}
	}
	names, rest := []string{}, n
	for _, one := range e.Values {
		if e.Flags && one.Number != 0 && rest&one.Number == one.Number {
			names = append(names, one.Name)
			rest &^= one.Number
		}
	}
	if rest != 0 || len(names) == 0 {
		return NewEnum(e.Name, strconv.FormatInt(n, 10), n)
	}
	return NewEnum(e.Name, strings.Join(names, ", "), n)
}
