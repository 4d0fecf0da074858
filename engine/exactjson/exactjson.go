// Package exactjson is JSON whose texts keep bytes that are not UTF-8, such as those in names of files. encoding/json
// replaces them.
package exactjson

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// coded begins a text that is stored in base64. A text that begins with it is stored in this way too.
const coded = "\x00base64:"

// Marshal is json.Marshal. Keys of objects must be UTF-8.
func Marshal(value any) ([]byte, error) { return json.Marshal(encoded(value)) }

// MarshalIndent is json.MarshalIndent.
func MarshalIndent(value any, prefix, indent string) ([]byte, error) {
	return json.MarshalIndent(encoded(value), prefix, indent)
}

// Unmarshal is json.Unmarshal for what this package or encoding/json has written.
func Unmarshal(text []byte, value any) error {
	if err := json.Unmarshal(text, value); err != nil {
		return err
	}
	return Decode(value)
}

// Decode replaces coded texts in what encoding/json has read into a pointer.
func Decode(pointer any) error { return each(reflect.ValueOf(pointer), decode) }

// encoded returns a value with coded texts, or the value itself if none needs that.
func encoded(value any) any {
	needed := false
	look := func(text string) (string, error) {
		needed = needed || !plain(text)
		return text, nil
	}
	from := reflect.ValueOf(value)
	if !from.IsValid() {
		return value
	}
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	if _ = each(to, look); !needed {
		return value
	}
	to.Elem().Set(clone(from))
	_ = each(to, encode)
	return to.Elem().Interface()
}

func plain(text string) bool { return utf8.ValidString(text) && !strings.HasPrefix(text, coded) }

func encode(text string) (string, error) {
	if plain(text) {
		return text, nil
	}
	return coded + base64.StdEncoding.EncodeToString([]byte(text)), nil
}

func decode(text string) (string, error) {
	code, is := strings.CutPrefix(text, coded)
	if !is {
		return text, nil
	}
	bytes, err := base64.StdEncoding.DecodeString(code)
	if err != nil {
		return "", fmt.Errorf("a text is no base64: %w", err)
	}
	return string(bytes), nil
}

// each changes the texts of a value in place.
func each(v reflect.Value, change func(string) (string, error)) error {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Interface {
			return nil
		}
		return each(v.Elem(), change)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); !field.IsExported() && !field.Anonymous {
				continue
			}
			if err := each(v.Field(i), change); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := each(v.Index(i), change); err != nil {
				return err
			}
		}
	case reflect.Map:
		return eachInMap(v, change)
	case reflect.String:
		if !v.CanSet() {
			return nil
		}
		text, err := change(v.String())
		if err == nil && text != v.String() {
			v.SetString(text)
		}
		return err
	}
	return nil
}

func eachInMap(v reflect.Value, change func(string) (string, error)) error {
	for _, key := range v.MapKeys() {
		element := reflect.New(v.Type().Elem())
		element.Elem().Set(v.MapIndex(key))
		if err := each(element, change); err != nil {
			return err
		}
		v.SetMapIndex(key, element.Elem())
	}
	return nil
}

// clone copies the slices, maps and pointers of a value, so that each does not change the original.
func clone(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(clone(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if to.Field(i).CanSet() {
				to.Field(i).Set(clone(v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				to.Index(i).Set(clone(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			to.Set(reflect.MakeMap(v.Type()))
			for _, key := range v.MapKeys() {
				to.SetMapIndex(key, clone(v.MapIndex(key)))
			}
		}
	}
	return to
}
