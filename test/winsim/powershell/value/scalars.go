package value

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"kinit/test/winsim/powershell/unknown"
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

// Version is a System.Version: major, minor, build and revision; the last two may be -1.
type Version [4]int32

// String is the parts that there are, with dots between.
func (v Version) String() string {
	parts := []string{}
	for _, part := range v {
		if part >= 0 {
			parts = append(parts, strconv.Itoa(int(part)))
		}
	}
	return strings.Join(parts, ".")
}

// Compare orders versions.
func (v Version) Compare(other Version) int {
	for i := range v {
		if order := cmp.Compare(int64(v[i]), int64(other[i])); order != 0 {
			return order
		}
	}
	return 0
}

func convertVersion(v any) (any, error) {
	switch value := Base(v).(type) {
	case Version:
		return value, nil
	case string:
		return ParseVersion(value)
	case int32:
		return nil, unknown.New("the conversion of a number to System.Version")
	}
	return nil, cannot(v, "System.Version")
}

func versionError(text, reason string) error {
	e := cannotParse(text, "System.Version", reason).(*Exception)
	e.Extra = []*Property{P("ErrorId", "InvalidCastParseTargetInvocation")}
	return e
}

// ParseVersion is the text of two to four numbers with dots between as a Version.
func ParseVersion(text string) (any, error) {
	out := Version{-1, -1, -1, -1}
	parts := strings.Split(strings.TrimSpace(text), ".")
	bad := versionError(text, "Version string portion was too short or too long.")
	if len(parts) < 2 || len(parts) > 4 {
		return nil, bad
	}
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil || n < 0 {
			return nil, versionError(text, "Input string was not in a correct format.")
		}
		out[i] = int32(n)
	}
	return out, nil
}

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
