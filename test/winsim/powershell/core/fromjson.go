package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// fromJSON keeps the lines of the input: they are one text if the first alone is none.
func fromJSON(_ context.Context, c *interp.Call) error {
	all, _ := c.State.([]string)
	c.State = append(all, c.String("InputObject"))
	return nil
}

func fromJSONEnd(ctx context.Context, c *interp.Call) error {
	all, _ := c.State.([]string)
	if len(all) == 0 {
		return nil
	}
	if len(all) > 1 {
		if _, err := parseJSON(all[0]); err == nil {
			return unknown.New("ConvertFrom-Json of several texts")
		}
	}
	if strings.TrimSpace(strings.Join(all, "")) == "" {
		return unknown.New("ConvertFrom-Json of an empty text")
	}
	v, err := parseJSON(strings.Join(all, "\n"))
	if unknown.Is(err) {
		return err
	}
	if err != nil {
		return c.Terminate(record(c, "System.ArgumentException", "Invalid JSON primitive: "+firstWord(strings.Join(all, "\n"))+".", "System.ArgumentException", "NotSpecified", nil))
	}
	return c.WriteObject(ctx, v)
}

// firstWord stands in the message of the real parser, which names what it stumbled on.
func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// parseJSON is a JSON text as 5.1 has it: objects are custom objects, arrays object[].
func parseJSON(text string) (any, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	v, err := element(d)
	if err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("text behind the value")
	}
	return v, nil
}

func element(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return object(d)
		}
		return array(d)
	case json.Number:
		return number(t.String())
	case string:
		if strings.HasPrefix(t, "/Date(") {
			return nil, unknown.New("a date in JSON")
		}
		return t, nil
	}
	return token, nil
}

func array(d *json.Decoder) (any, error) {
	out := value.NewArray()
	for d.More() {
		v, err := element(d)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, v)
	}
	_, err := d.Token()
	return out, err
}

func object(d *json.Decoder) (any, error) {
	o := value.NewCustom()
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		v, err := element(d)
		if err != nil {
			return nil, err
		}
		if name == "" || o.Find(name) != nil {
			return nil, unknown.New("a JSON object with an empty name, or with names that differ in case only")
		}
		o.Add(note(name, v))
	}
	_, err := d.Token()
	return o, err
}

// number is a whole number as an int or a long; fractions are decimals in 5.1.
func number(text string) (any, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, unknown.New("the number %s in JSON, which is a decimal", text)
	}
	if n >= math.MinInt32 && n <= math.MaxInt32 {
		return int32(n), nil
	}
	return n, nil
}
