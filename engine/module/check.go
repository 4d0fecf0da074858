package module

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Duration is an argument such as "90s". With the tag like, it is a duration above zero.
type Duration string

// Time returns the duration, 0 for a text that is none.
func (d Duration) Time() time.Duration {
	length, _ := time.ParseDuration(string(d))
	return length
}

// Check returns the first mistake in a task's arguments that can be found without a host: one
// that a tag finds, or the error of the task's Validate. These tags find mistakes:
//
//   - enum:"present,absent" lists the values that are possible
//   - nonempty:"want a name" refuses an empty value with that text; an optional argument may
//     be empty if the object should be absent
//   - path:"clean" refuses what CheckPath does, and path:"absolute" a relative path, in a list too;
//     an optional argument without a default may be empty. With path:"own" the task checks the
//     path itself. All of them may begin with "~" or "~user", a home folder of the host
//   - like:"90s" of a Duration is an example for the message about a wrong one
func Check(task Task) error {
	if value := reflect.ValueOf(task); value.Kind() == reflect.Pointer {
		p, ok := task.(interface{ Absent() bool })
		if err := checkAll(value.Elem(), ok && p.Absent()); err != nil {
			return err
		}
	}
	if v, ok := task.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// checkAll checks a task or a block with its inner blocks.
func checkAll(arguments reflect.Value, absent bool) error {
	for _, a := range Arguments(arguments.Type()) {
		value := arguments.FieldByIndex(a.Field.Index)
		if a.Kind == "block" {
			if err := checkBlocks(a.Name, value, absent); err != nil {
				return err
			}
		}
		if err := a.check(value, absent); err != nil {
			return err
		}
	}
	return nil
}

// checkBlocks checks a block, a pointer to one, or a list of them.
func checkBlocks(name string, value reflect.Value, absent bool) error {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			return checkBlocks(name, value.Elem(), absent)
		}
	case reflect.Slice:
		for i := range value.Len() {
			if err := checkBlocks(fmt.Sprintf("%s %d", name, i+1), value.Index(i), absent); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if err := checkAll(value, absent); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (a Argument) check(value reflect.Value, absent bool) error {
	want, needed := a.Field.Tag.Lookup("nonempty")
	if needed && isEmpty(value) && !(absent && a.Kind == "optional") {
		return fmt.Errorf("%s is empty, %s", a.Name, want)
	}
	example, timed := a.Field.Tag.Lookup("like")
	if d, ok := value.Interface().(Duration); ok && timed && d.Time() <= 0 {
		return fmt.Errorf("%s is %q, want a duration such as %q", a.Name, string(d), example)
	}
	if kind, ok := a.Field.Tag.Lookup("path"); ok {
		for _, text := range texts(value) {
			if err := a.checkPath(kind, text.String()); err != nil {
				return err
			}
		}
	}
	return a.checkWords(value)
}

func (a Argument) checkPath(kind, value string) error {
	switch {
	case kind == "own" || value == "" && a.mayBeEmpty():
		return nil
	case kind == "clean":
		return CheckPath(a.Name, value)
	case !path.IsAbs(value) && !InHome(value):
		return fmt.Errorf("%s is %q, expected an absolute path", a.Name, value)
	}
	return nil
}

// Mistake returns the mistake that tags find in the value of an argument alone. An empty one may be
// right, depending on others.
func (a Argument) Mistake(value reflect.Value) error {
	if isEmpty(value) {
		return nil
	}
	return a.check(value, false)
}

// mayBeEmpty reports whether the argument is optional without a default.
func (a Argument) mayBeEmpty() bool {
	_, given := a.Field.Tag.Lookup("default")
	return a.Kind == "optional" && !given
}

// CheckPath returns the mistake in a path argument: it must be absolute and clean, and not a root
// folder. It may begin with "~" or "~user", and may then be the home folder.
func CheckPath(argument, value string) error {
	switch {
	case value == "":
		return fmt.Errorf("%s is empty, want an absolute path", argument)
	case InHome(value) && path.Clean(value) != value:
		return fmt.Errorf("%s is %q, want it without empty, \".\" or \"..\" parts", argument, value)
	case InHome(value):
		return nil
	case !strings.HasPrefix(value, "/"):
		return fmt.Errorf("%s is %q, want an absolute path", argument, value)
	case value == "/":
		return fmt.Errorf("%s is the root folder, want a path below it", argument)
	case path.Clean(value) != value:
		return fmt.Errorf("%s is %q, want it without empty, \".\" or \"..\" parts: %q", argument, value, path.Clean(value))
	}
	return nil
}

func isEmpty(value reflect.Value) bool {
	return value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0
}

// checkWords compares a text, or each of a list, with the words.
func (a Argument) checkWords(value reflect.Value) error {
	words := a.Words()
	if words == nil {
		return nil
	}
	verb := "is"
	switch {
	case value.Kind() == reflect.Slice:
		verb = "has"
	case value.String() == "" && a.mayBeEmpty():
		return nil
	}
	for _, one := range texts(value) {
		if !slices.Contains(words, one.String()) {
			return fmt.Errorf("%s %s %q, want one of %s", a.Name, verb, one.String(), strings.Join(words, ", "))
		}
	}
	return nil
}

// UnmetError says that a condition does not hold that the playbook asks for. Other errors of the same
// playbook may be its consequences.
type UnmetError string

func (e UnmetError) Error() string { return string(e) }
