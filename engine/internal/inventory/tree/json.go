package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/literal"
	"kinit/engine/internal/inventory/source"
)

// JSON reads a file with one value. The node is nil when the file is no JSON.
func JSON(text *source.Text) (*Node, diag.List) {
	r := &jsonReader{reader: reader{text: text}, decoder: json.NewDecoder(bytes.NewReader(text.Bytes))}
	r.decoder.UseNumber()
	root, err := r.value(0)
	if err == nil {
		err = r.end()
	}
	if err != nil {
		r.syntax(err)
	}
	if r.Diags.HasErrors() {
		return nil, r.Diags
	}
	return root, r.Diags
}

type jsonReader struct {
	reader
	decoder *json.Decoder
}

// The errors that the library does not have.
var (
	errDeep  = errors.New("it is nested too deep")
	errLarge = errors.New("the number is too large")
	errMore  = errors.New("something follows the value")
)

// next reads a token and tells its place.
func (r *jsonReader) next() (json.Token, hcl.Range, error) {
	from := int(r.decoder.InputOffset())
	for from < len(r.text.Bytes) && strings.IndexByte(" \t\r\n,:", r.text.Bytes[from]) >= 0 {
		from++
	}
	token, err := r.decoder.Token()
	return token, r.text.Range(from, int(r.decoder.InputOffset())), err
}

func (r *jsonReader) value(depth int) (*Node, error) {
	token, at, err := r.next()
	if err != nil {
		return nil, err
	}
	if depth > deepest {
		return nil, errDeep
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return r.object(at, depth)
		}
		return r.array(at, depth)
	case bool:
		return &Node{Kind: Scalar, At: at, Scalar: cty.BoolVal(v)}, nil
	case json.Number:
		number, ok := literal.Number(v.String())
		if !ok {
			return nil, errLarge
		}
		return &Node{Kind: Scalar, At: at, Scalar: number}, nil
	case string:
		return text(v, at), nil
	}
	return &Node{At: at}, nil
}

func (r *jsonReader) array(at hcl.Range, depth int) (*Node, error) {
	list := &Node{Kind: List, At: at}
	for r.decoder.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, item)
	}
	_, _, err := r.next()
	return list, err
}

func (r *jsonReader) object(at hcl.Range, depth int) (*Node, error) {
	m := &Node{Kind: Map, At: at}
	for r.decoder.More() {
		token, keyAt, err := r.next()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // the decoder takes nothing else
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		r.put(m, Pair{Key: key, IsText: true, At: keyAt, Node: value})
	}
	_, _, err := r.next()
	return r.unwrapped(m), err
}

// end makes sure that nothing follows.
func (r *jsonReader) end() error {
	_, _, err := r.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errMore
	}
	return err
}

// syntax tells of a text that is no JSON. The decoder's offsets are those of its
// buffer, so a second look at the whole text finds the place.
func (r *jsonReader) syntax(err error) {
	at := int(r.decoder.InputOffset()) - 1
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(r.text.Bytes, &json.RawMessage{}), &syntax) {
		at, err = int(syntax.Offset)-1, syntax
	}
	if at == len(r.text.Bytes)-1 && syntax != nil && syntax.Error() == "unexpected end of JSON input" {
		at, err = len(r.text.Bytes), errors.New("the text ends too early")
	}
	r.Errorf(r.text.Range(at, at+1), "Invalid JSON", "This is not as JSON should be: %v.", err)
}
