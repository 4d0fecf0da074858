package ansible

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/modules/internal/localfile"
	"kinit/modules/internal/render"
)

// nameOfModule matches the name of a module, alone or with its collection.
var nameOfModule = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+){0,4}$`)

// elsewhere says what to use instead of actions that Ansible does on the controller, without
// a module on the host.
var elsewhere = map[string]string{
	"add_host": "a host block", "assemble": "kinit's copy", "assert": "kinit's assert", "debug": "kinit's debug",
	"fail": "kinit's fail", "fetch": "kinit's fetch", "gather_facts": "kinit's facts, or ansible.builtin.setup",
	"group_by": "a local", "import_playbook": "an import block", "import_role": "an import block", "import_tasks": "an import block",
	"include_role": "an import block", "include_tasks": "an import block", "include_vars": "a variable", "meta": "the block's own arguments",
	"package": "kinit's package, or the module of the host's manager, such as ansible.builtin.apt", "pause": "kinit's wait",
	"raw": "kinit's command", "reboot": "kinit's reboot", "script": "kinit's script", "set_fact": "a local", "set_stats": "an output block",
	"template": "kinit's template", "validate_argument_spec": "a validation of the variable", "wait_for_connection": "kinit's wait",
}

// alone are the modules of ansible-core that do their work without the code that Ansible calls
// on the controller before them.
var alone = []string{"command", "copy", "dnf", "service", "shell", "unarchive", "uri"}

// builtin returns the short name of one of ansible-core's own modules, and "" for another.
func builtin(name string) string {
	for _, collection := range []string{"ansible.builtin.", "ansible.legacy."} {
		if short, ok := strings.CutPrefix(name, collection); ok {
			return short
		}
	}
	if strings.Contains(name, ".") {
		return ""
	}
	return name
}

// checkName returns the mistake in the name of a module.
func checkName(name string) error {
	switch {
	case !nameOfModule.MatchString(name):
		return fmt.Errorf("module is %q, want the name of one of Ansible's modules, such as \"ansible.builtin.file\"", name)
	case strings.Count(name, ".") == 1:
		return fmt.Errorf("module is %q, want a name with its namespace and collection, such as \"community.general.%s\"", name, name[strings.Index(name, ".")+1:])
	case elsewhere[builtin(name)] != "":
		return fmt.Errorf("module is %q, which Ansible does on the controller, without a module on the host: use %s", name, elsewhere[builtin(name)])
	}
	return nil
}

// checkArgs returns the mistake in the arguments of a module.
func (t *Task) checkArgs() error {
	if !render.IsObject(t.Args) {
		return errors.New("args is no object, want { name = value … }")
	}
	args, err := t.given()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		switch {
		case strings.HasPrefix(name, "_ansible_"):
			return fmt.Errorf("args has %q, which Ansible's modules keep for themselves", name)
		case slices.Contains(ofTasks, name):
			return fmt.Errorf("args has %q, which in Ansible is no argument of a module but a keyword of the task: write it as an argument of the block", name)
		}
	}
	return nil
}

// ofTasks are keywords of Ansible's tasks that no module has as an argument.
var ofTasks = []string{"become", "become_user", "changed_when", "delegate_to", "failed_when", "ignore_errors", "loop", "no_log", "notify", "register", "when", "with_items"}

// given returns the arguments as the playbook gives them, as JSON. A null one is absent.
func (t *Task) given() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if t.Args != cty.NilVal && !t.Args.IsNull() && t.Args.IsKnown() {
		plain, _ := t.Args.UnmarkDeep()
		for name, value := range plain.AsValueMap() {
			if value.IsNull() {
				continue
			}
			text, err := ctyjson.Marshal(value, value.Type())
			if err != nil {
				return nil, fmt.Errorf("args: %s: %w", name, err)
			}
			all[name] = text
		}
	}
	for name, value := range t.SecretArgs {
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("secret_args has %q, which is in args, too: give it once", name)
		}
		text, err := json.Marshal(value.Reveal())
		if err != nil {
			return nil, fmt.Errorf("secret_args: %s: %w", name, err)
		}
		all[name] = text
	}
	return all, nil
}

// sent is what a call of a module consists of.
type sent struct {
	module  string // that is called
	args    map[string]json.RawMessage
	content []byte // of a file that the module finds in $KINIT_CONTENT, nil for none
}

// sent returns what to call for the task, with what Ansible does on the controller before it
// calls some of its own modules.
func (t *Task) sent() (sent, error) {
	args, err := t.given()
	s := sent{module: t.Module, args: args}
	if err != nil {
		return s, err
	}
	switch builtin(t.Module) {
	case "shell":
		s.module, s.args["_uses_shell"] = "ansible.builtin.command", json.RawMessage("true")
		s.rename("cmd", "_raw_params")
	case "command":
		s.rename("cmd", "_raw_params")
	case "copy":
		err = t.copies(&s)
	case "unarchive":
		if string(args["remote_src"]) != "true" {
			err = fmt.Errorf("args: %s is called on the host, so its src is a file of the host, and it wants remote_src = true; for files of the machine kinit runs on use kinit's unarchive", t.Module)
		}
	}
	return s, err
}

func (s *sent) rename(from, to string) {
	if value, ok := s.args[from]; ok {
		delete(s.args, from)
		s.args[to] = value
	}
}

// copies carries the content of a copy to the host: the argument content, or the file src of
// the machine kinit runs on.
func (t *Task) copies(s *sent) error {
	content, hasContent := s.args["content"]
	src, hasSource := s.args["src"]
	var err error
	switch {
	case hasContent && hasSource:
		return fmt.Errorf("args: %s has content and src: give one of them", t.Module)
	case hasContent:
		s.content = []byte(content)
		if text := ""; json.Unmarshal(content, &text) == nil {
			s.content = []byte(text)
		}
	case !hasSource || string(s.args["remote_src"]) == "true":
		return nil
	default:
		var name string
		if err := json.Unmarshal(src, &name); err != nil {
			return fmt.Errorf("args: src is %s, want the path of a file", src)
		}
		if s.content, err = localfile.Read(t.files, name); err != nil {
			return fmt.Errorf("args: src: %w", err)
		}
		s.args["_original_basename"], _ = json.Marshal(path.Base(name))
	}
	delete(s.args, "content")
	s.args["src"] = json.RawMessage(`"$KINIT_CONTENT"`)
	return nil
}
