package core

import (
	"context"
	"fmt"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func jsonCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "ConvertTo-Json", Parameters: []interp.Parameter{
			{Name: "InputObject", Position: 1, Mandatory: true, Pipeline: true}, {Name: "Depth", Type: "int"}, {Name: "Compress", Type: "switch"},
		}, Run: toJSON, End: toJSONEnd},
		{Name: "ConvertFrom-Json", Parameters: []interp.Parameter{
			{Name: "InputObject", Type: "string", Position: 1, Pipeline: true}, // fromJSON refuses an empty text
		}, Run: fromJSON, End: fromJSONEnd},
	}
}

// usualDepth is how deep ConvertTo-Json goes where it is not told.
const usualDepth = 2

// piped is an object of the pipeline, which ConvertTo-Json of 5.1 treats differently
// from one of a parameter: arrays become {"value":…,"Count":…}.
type piped struct{ v any }

func toJSON(_ context.Context, c *interp.Call) error {
	all, _ := c.State.([]any)
	if c.Piped {
		c.State = append(all, piped{c.Input})
		return nil
	}
	c.State = append(all, c.Value("InputObject"))
	return nil
}

func toJSONEnd(ctx context.Context, c *interp.Call) error {
	all, _ := c.State.([]any)
	if len(all) == 0 {
		return nil
	}
	depth := usualDepth
	if c.Has("Depth") {
		depth = int(c.Int("Depth"))
	}
	if !c.Bool("Compress") {
		return unknown.New("ConvertTo-Json without -Compress")
	}
	w := &writer{most: depth}
	var err error
	if len(all) > 1 {
		err = w.list(all, 0)
	} else {
		err = w.value(all[0], 0)
	}
	if err != nil {
		return err
	}
	return c.WriteObject(ctx, w.String())
}

// writer writes JSON as the JavaScriptSerializer of .NET Framework does, which
// ConvertTo-Json of 5.1 uses.
type writer struct {
	strings.Builder
	most int
}

func (w *writer) value(v any, depth int) error {
	wrapped := false
	if p, ok := v.(piped); ok {
		v, wrapped = p.v, true
	}
	if _, empty := v.(value.Empty); empty {
		w.WriteString("{}") // what a command without output leaves is an object without properties
		return nil
	}
	if o, ok := v.(*value.Object); ok && o.Base != nil {
		return unknown.New("a value with properties in JSON, such as a line of Get-Content: 5.1 writes them too")
	}
	switch b := value.Base(v).(type) {
	case nil:
		w.WriteString("null")
	case string:
		w.text(b)
	case value.Char:
		w.text(value.String(b))
	case value.GUID:
		w.text(b.String())
	case bool:
		w.WriteString(strings.ToLower(value.String(b)))
	case float64:
		return unknown.New("the number %s in JSON", value.String(b))
	case value.DateTime:
		return unknown.New("a date in JSON: convert it to text")
	case value.Enum:
		fmt.Fprintf(w, "%d", b.Number)
	default:
		if value.IsNumber(b) {
			w.WriteString(value.String(b))
			return nil
		}
		return w.composite(b, depth, wrapped)
	}
	return nil
}

// composite is an array, a dictionary or an object; what is too deep is text.
func (w *writer) composite(v any, depth int, wrapped bool) error {
	if depth > w.most {
		w.text(tooDeep(v))
		return nil
	}
	if h, ok := v.(*value.Hashtable); ok {
		return w.dictionary(h, depth)
	}
	if items, ok := value.Items(v); ok {
		a, isArray := v.(*value.Array)
		_, isBytes := v.(*value.Bytes)
		if wrapped && (isArray || isBytes) || isArray && a.Wrapped {
			return unknown.New("an array in JSON that a pipeline or New-Object made: 5.1 writes an object")
		}
		return w.list(items, depth)
	}
	o, ok := v.(*value.Object)
	if !ok {
		return unknown.New("a %s in JSON", value.TypeName(v))
	}
	if !o.Complete {
		return unknown.New("a %s in JSON, whose properties are not all modelled: choose them with Select-Object", o.Type)
	}
	return w.properties(o.Properties(), depth)
}

// tooDeep is what stands for a value below the depth: its text.
func tooDeep(v any) string {
	if _, ok := value.Items(v); ok {
		return value.Join(v, " ")
	}
	return value.String(v)
}

func (w *writer) list(items []any, depth int) error {
	w.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			w.WriteByte(',')
		}
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	w.WriteByte(']')
	return nil
}

func (w *writer) dictionary(h *value.Hashtable, depth int) error {
	w.WriteByte('{')
	for i, key := range h.Keys() {
		if i > 0 {
			w.WriteByte(',')
		}
		name, isText := value.Base(key).(string)
		if !isText {
			e := value.NewException("System.InvalidOperationException", "The type '"+value.TypeName(h)+"' is not supported for serialization or deserialization of a dictionary. Keys must be strings.")
			return &interp.Throw{Record: interp.NewError(e, "NonStringKeyInDictionary,Microsoft.PowerShell.Commands.ConvertToJsonCommand", "InvalidOperation", nil), Statement: true}
		}
		v, _ := h.Get(key)
		if err := w.member(name, v, depth); err != nil {
			return err
		}
	}
	w.WriteByte('}')
	return nil
}

func (w *writer) properties(all []*value.Property, depth int) error {
	w.WriteByte('{')
	for i, p := range all {
		if i > 0 {
			w.WriteByte(',')
		}
		v, err := p.Read()
		if err != nil {
			return err
		}
		if err := w.member(p.Name, v, depth); err != nil {
			return err
		}
	}
	w.WriteByte('}')
	return nil
}

func (w *writer) member(name string, v any, depth int) error {
	w.text(name)
	w.WriteByte(':')
	return w.value(v, depth+1)
}

// text is a string with the escapes of HttpUtility.JavaScriptStringEncode.
func (w *writer) text(s string) {
	w.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"':
			w.WriteString(`\"`)
		case r == '\\':
			w.WriteString(`\\`)
		case r < 0x20 && strings.ContainsRune("\b\f\n\r\t", r):
			w.WriteByte('\\')
			w.WriteByte("btn_fr"[r-'\b'])
		case r < 0x20 || strings.ContainsRune("'<>&\u0085\u2028\u2029", r):
			fmt.Fprintf(w, `\u%04x`, r)
		default:
			w.WriteRune(r)
		}
	}
	w.WriteByte('"')
}
