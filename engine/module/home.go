package module

import (
	"path"
	"reflect"
	"regexp"
)

// homePath is a path in the home folder of a user, whose name is empty for the user that the task
// runs as. Names are those that useradd of Debian and of Red Hat take.
var homePath = regexp.MustCompile(`^~([A-Za-z0-9_][A-Za-z0-9_.-]*\$?)?(/.*)?$`)

// HomePath is an argument of a task that begins with "~" or "~user".
type HomePath struct {
	Argument string // its name
	User     string // "" is the user that the task runs as

	text reflect.Value
	rest string
}

// Text returns the argument as the playbook has it.
func (p HomePath) Text() string { return p.text.String() }

// Put replaces the beginning of the argument by the home folder.
func (p HomePath) Put(home string) { p.text.SetString(path.Join(home, p.rest)) }

// HomePaths lists the path arguments of a task that begin with "~" or "~user". A path is an argument
// with the tag path, or each element of a list with it.
func HomePaths(task Task) []HomePath {
	value := reflect.ValueOf(task)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	var all []HomePath
	for _, a := range Arguments(value.Elem().Type()) {
		if _, ok := a.Field.Tag.Lookup("path"); !ok {
			continue
		}
		for _, text := range texts(value.Elem().FieldByIndex(a.Field.Index)) {
			if parts := homePath.FindStringSubmatch(text.String()); parts != nil {
				all = append(all, HomePath{Argument: a.Name, User: parts[1], text: text, rest: parts[2]})
			}
		}
	}
	return all
}

// Here is a task with a path on the machine that kinit runs on.
type Here interface {
	// From sets the folder that relative paths start from, and the user's home folder. Both may be empty if they are not known.
	From(cwd, home string)
}

// InHome reports whether a path begins with "~" or "~user".
func InHome(path string) bool { return homePath.MatchString(path) }

// texts returns a text, or the elements of a list of texts.
func texts(value reflect.Value) []reflect.Value {
	if value.Kind() == reflect.String {
		return []reflect.Value{value}
	}
	var all []reflect.Value
	for i := range value.Len() {
		all = append(all, value.Index(i))
	}
	return all
}
