package module

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// ArgumentOutput is an output that always has the value of an argument, so that it is known
// before the task is done. Its field has the tag arg:"path", or arg:"path,content" if what
// is behind the value changes with the task: the file of a copy has another content
// afterwards, so what another task reads there before is not what it reads in the run.
type ArgumentOutput struct {
	Output   string
	Argument string
	Content  bool
	Default  cty.Value // of the argument
}

// ArgumentOutputs lists the outputs of a new task that are arguments.
func ArgumentOutputs(task Task) []ArgumentOutput {
	read, ok := reader(task)
	if !ok {
		return nil
	}
	var all []ArgumentOutput
	for field := range read.Type().Out(0).Fields() {
		tag, ok := field.Tag.Lookup("arg")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(tag, ",")
		all = append(all, ArgumentOutput{
			Output: field.Tag.Get("cty"), Argument: name, Content: kind == "content", Default: valueOf(argumentOf(task, name)),
		})
	}
	return all
}

func argumentOf(task Task, name string) reflect.Value {
	target := reflect.ValueOf(task).Elem()
	for _, a := range Arguments(target.Type()) {
		if a.Name == name {
			return target.FieldByIndex(a.Field.Index)
		}
	}
	panic(fmt.Sprintf("module: an output of %T is the argument %q, which it does not have; this is a bug in kinit", task, name))
}
