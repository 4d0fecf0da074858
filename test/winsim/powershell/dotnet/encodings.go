package dotnet

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// codec is a System.Text.Encoding.
type codec struct {
	name     string // of the web: utf-8
	page     int32
	preamble []byte
	// text converts; nil for UTF-8.
	text encoding.Encoding
	// ascii says that everything but ASCII becomes "?".
	ascii bool
	// strict says that bytes that are no text are an error.
	strict bool
}

func encodingTypes() []interp.Type {
	bom := []byte("\xEF\xBB\xBF")
	of := func(c codec, typeName string) interp.Func { return constant(encodingObject(typeName, &c)) }
	return []interp.Type{
		{Name: "System.Text.Encoding", Aliases: []string{"text.encoding"}, Values: statics{
			"UTF8":             of(codec{name: "utf-8", page: 65001, preamble: bom}, "System.Text.UTF8Encoding"),
			"ASCII":            of(codec{name: "us-ascii", page: 20127, ascii: true}, "System.Text.ASCIIEncoding"),
			"Unicode":          of(utf16Codec(unicode.LittleEndian), "System.Text.UnicodeEncoding"),
			"BigEndianUnicode": of(utf16Codec(unicode.BigEndian), "System.Text.UnicodeEncoding"),
			"Default":          of(codec{name: "Windows-1252", page: 1252, text: charmap.Windows1252}, "System.Text.SBCSCodePageEncoding"),
		}, Statics: statics{"GetEncoding": static("GetEncoding", 1, 1, getEncoding)}},
		{Name: "System.Text.UTF8Encoding", Aliases: []string{"text.utf8encoding"}, New: static("UTF8Encoding", 0, 2, func(c call) (any, error) {
			own := codec{name: "utf-8", page: 65001}
			if len(c.args) > 0 && c.truth(0) {
				own.preamble = bom
			}
			own.strict = len(c.args) > 1 && c.truth(1)
			return encodingObject("System.Text.UTF8Encoding", &own), nil
		})},
		{Name: "System.Text.ASCIIEncoding", Aliases: []string{"text.asciiencoding"}, New: static("ASCIIEncoding", 0, 0, func(call) (any, error) {
			return encodingObject("System.Text.ASCIIEncoding", &codec{name: "us-ascii", page: 20127, ascii: true}), nil
		})},
		{Name: "System.Text.UnicodeEncoding", Aliases: []string{"text.unicodeencoding"}},
	}
}

func utf16Codec(order unicode.Endianness) codec {
	if order == unicode.BigEndian {
		return codec{name: "utf-16BE", page: 1201, preamble: []byte{0xFE, 0xFF}, text: unicode.UTF16(order, unicode.IgnoreBOM)}
	}
	return codec{name: "utf-16", page: 1200, preamble: []byte{0xFF, 0xFE}, text: unicode.UTF16(order, unicode.IgnoreBOM)}
}

func getEncoding(c call) (any, error) {
	switch strings.ToLower(c.str(0)) {
	case "utf-8", "utf8", "65001":
		return encodingObject("System.Text.UTF8Encoding", &codec{name: "utf-8", page: 65001, preamble: []byte("\xEF\xBB\xBF")}), nil
	case "us-ascii", "ascii", "20127":
		return encodingObject("System.Text.ASCIIEncoding", &codec{name: "us-ascii", page: 20127, ascii: true}), nil
	case "utf-16", "1200":
		own := utf16Codec(unicode.LittleEndian)
		return encodingObject("System.Text.UnicodeEncoding", &own), nil
	case "437", "ibm437":
		return encodingObject("System.Text.SBCSCodePageEncoding", &codec{name: "IBM437", page: 437, text: charmap.CodePage437}), nil
	case "28591", "iso-8859-1":
		return encodingObject("System.Text.Latin1Encoding", &codec{name: "iso-8859-1", page: 28591, text: charmap.ISO8859_1}), nil
	case "1252", "windows-1252":
		return encodingObject("System.Text.SBCSCodePageEncoding", &codec{name: "Windows-1252", page: 1252, text: charmap.Windows1252}), nil
	}
	return nil, unknown.New("the encoding %q", c.str(0))
}

// encode is a text as bytes, without a mark before it.
func (e *codec) encode(text string) []byte {
	if e.ascii {
		var out []byte
		for _, unit := range value.Units(text) {
			if unit > 127 {
				unit = '?'
			}
			out = append(out, byte(unit))
		}
		return out
	}
	if e.text == nil {
		return []byte(text)
	}
	out, err := encoding.ReplaceUnsupported(e.text.NewEncoder()).Bytes([]byte(text))
	if err != nil {
		return []byte(text)
	}
	return out
}

// decode is bytes as text; what is none becomes U+FFFD, or an error of a strict one.
func (e *codec) decode(data []byte) (string, error) {
	switch {
	case e.ascii:
		var b strings.Builder
		for _, c := range data {
			if c > 127 {
				c = '?'
			}
			b.WriteByte(c)
		}
		return b.String(), nil
	case e.text != nil:
		text, err := e.text.NewDecoder().Bytes(data)
		return string(text), err
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if e.strict && text != string(data) {
		return "", value.NewException("System.Text.DecoderFallbackException", "Unable to translate bytes from specified code page to Unicode.")
	}
	return text, nil
}

// encodingObject is a codec as a value.
func encodingObject(typeName string, e *codec) *value.Object {
	o := value.NewObject(typeName, value.P("WebName", e.name), value.P("BodyName", e.name), value.P("CodePage", e.page))
	o.Supertypes = []string{"System.Text.Encoding"}
	o.Data = e
	bind(o, "GetBytes", method("GetBytes", 1, 1, func(c call) (any, error) { return &value.Bytes{Data: e.encode(charsOrText(c.args[0]))}, nil }))
	bind(o, "GetByteCount", method("GetByteCount", 1, 1, func(c call) (any, error) { return int32(len(e.encode(charsOrText(c.args[0])))), nil }))
	bind(o, "GetPreamble", method("GetPreamble", 0, 0, func(call) (any, error) { return &value.Bytes{Data: e.preamble}, nil }))
	bind(o, "GetString", method("GetString", 1, 3, func(c call) (any, error) {
		b := c.bytes(0).Data
		if len(c.args) == 2 {
			return nil, unknown.New("GetString with 2 arguments")
		}
		if len(c.args) == 3 {
			var err error
			if b, err = part(b, c.num(1), c.num(2)); err != nil {
				return nil, err
			}
		}
		return e.decode(b)
	}))
	return o
}

func charsOrText(v any) string {
	if a, ok := value.Base(v).(*value.Array); ok && a.Elem == "System.Char" {
		return charsOf([]any{v})
	}
	return value.String(v)
}

// codecOf is an argument as an encoding.
func codecOf(v any) (*codec, error) {
	if e, ok := data[*codec](v); ok {
		return e, nil
	}
	return nil, unknown.New("a %s as an encoding", value.TypeName(v))
}

// utf8Plain is UTF-8 without a mark, what files are written in by default.
func utf8Plain() *codec { return &codec{name: "utf-8", page: 65001} }

// marked is the encoding of UTF-16 that the mark at the beginning tells.
func marked(b []byte) *codec {
	own := utf16Codec(unicode.LittleEndian)
	if b[0] == 0xFE {
		own = utf16Codec(unicode.BigEndian)
	}
	return &own
}
