package spec

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/trust"
)

const (
	suffix         = ".hcl"
	templateSuffix = ".tmpl.hcl"
	shippedFolder  = "specs" // the folder of the program's specs in the source tree

	// A folder with the marker is a distribution. No name of a spec has the common template's
	// beginning, which has an underscore.
	marker         = "distribution.hcl"
	commonTemplate = "every_distribution"

	anyDriver = "<driver>" // in the beginning of a name
)

// found is the text of a spec file.
type found struct {
	file string // the file name in its ranges
	text []byte
}

// grammar is <distro>-<driver>-<controllers>-<computes>-<hypervisors>. A network has no
// room for numbers of more than three digits.
var grammar = regexp.MustCompile(`^([a-z0-9.]+)-([a-z0-9]+)-(0|[1-9][0-9]{0,2})-(0|[1-9][0-9]{0,2})-([1-9][0-9]{0,2})$`)

// shippedName returns the name for a spec inside the program.
func shippedName(given string) (string, bool) {
	dir, base := path.Split(path.Clean(filepath.ToSlash(given)))
	if dir != "" && dir != shippedFolder+"/" {
		return "", false
	}
	return strings.TrimSuffix(base, suffix), true
}

// known lists the names of specs in a folder, and the possible beginnings of names by the
// grammar. A template without a driver in its name is for all drivers.
func known(src Sources, folder string) (names, beginnings []string) {
	entries, err := src.ReadDir(folder)
	if err != nil {
		return nil, nil
	}
	for _, entry := range entries {
		template, isTemplate := strings.CutSuffix(entry.Name(), templateSuffix)
		name, isSpec := strings.CutSuffix(entry.Name(), suffix)
		switch {
		case template == commonTemplate:
		case isDistribution(src, folder, entry.Name()), isTemplate && !strings.Contains(template, "-"):
			beginnings = append(beginnings, template+"-"+anyDriver)
		case isTemplate:
			beginnings = append(beginnings, template)
		case isSpec && !entry.IsDir():
			names = append(names, name)
		}
	}
	return names, beginnings
}

func isDistribution(src Sources, folder, name string) bool {
	_, err := src.Stat(Join(folder, path.Join(name, marker)))
	return err == nil
}

func notFound(src Sources, given string) diag.List {
	name := strings.TrimSuffix(filepath.Base(given), suffix)
	disk, _ := known(src, filepath.Dir(given))
	shipped, beginnings := known(src, builtinPrefix)
	similar := slices.Concat(disk, shipped)
	if parts := grammar.FindStringSubmatch(name); parts != nil {
		for _, beginning := range beginnings {
			similar = append(similar, strings.Join(append([]string{strings.Replace(beginning, anyDriver, parts[2], 1)}, parts[3:]...), "-"))
		}
	}
	text := diag.Near(name, similar)
	if len(beginnings) > 0 {
		text += " A name that is in no file may be <distro>-<driver>-<controllers>-<computes>-<hypervisors>, where <distro>-<driver> is one of " +
			strings.Join(beginnings, ", ") + "."
	}
	return diag.List{{
		Summary: "Spec not found",
		Detail:  "There is no spec file " + given + ", and no spec of this name ships with kinit." + text,
		Cause:   fs.ErrNotExist,
	}}
}

// expand makes a spec of a name by the grammar from the template of its distro and driver, of
// its distro, or of every distro, which may be beside the path or inside the program.
func (l *loader) expand(given string) (found, diag.List) {
	folders := []string{filepath.Dir(given)}
	if _, ok := shippedName(given); ok {
		folders = append(folders, builtinPrefix)
	}
	if file, diags := l.fromTemplate(given, folders); file.file != "" || diags != nil {
		return file, diags
	}
	return found{}, notFound(l.src, given)
}

// fromTemplate makes a spec of a name from the first template in some folders, if there is one.
func (l *loader) fromTemplate(given string, folders []string) (found, diag.List) {
	name := strings.TrimSuffix(filepath.Base(given), suffix)
	parts := grammar.FindStringSubmatch(name)
	if parts == nil {
		return found{}, nil
	}
	for _, folder := range folders {
		templates := []string{parts[1] + "-" + parts[2], parts[1]}
		if isDistribution(l.src, folder, parts[1]) {
			templates = append(templates, commonTemplate)
		}
		for _, template := range templates {
			file := Join(folder, template+templateSuffix)
			text, err := l.src.ReadFile(file)
			if err != nil {
				continue
			}
			if err := l.src.Found(file); err != nil {
				return found{}, trust.Problem(nil, err)
			}
			return l.render(file, text, name, parts)
		}
	}
	return found{}, nil
}

// render fills in a template. The result has the name of the spec file that it replaces.
func (l *loader) render(file string, text []byte, name string, parts []string) (found, diag.List) {
	l.spec.Sources[file] = &hcl.File{Bytes: text}
	expr, problems := hclsyntax.ParseTemplate(text, file, hcl.InitialPos)
	if problems.HasErrors() {
		return found{}, ofTemplate(problems)
	}
	value, problems := expr.Value(&hcl.EvalContext{Variables: map[string]cty.Value{
		"name":         cty.StringVal(name),
		"distribution": cty.StringVal(parts[1]),
		"driver":       cty.StringVal(parts[2]),
		"controllers":  number(parts[3]),
		"computes":     number(parts[4]),
		"hypervisors":  number(parts[5]),
	}})
	if problems.HasErrors() {
		return found{}, ofTemplate(problems)
	}
	if !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
		return found{}, diag.Errorf(nil, "Invalid template", "The template %s gives no text.", file)
	}
	return found{file: Join(Folder(file), name+suffix), text: []byte(value.AsString())}, nil
}

// number converts digits that the grammar has checked to a value.
func number(digits string) cty.Value {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return cty.NumberIntVal(n)
}

// ofTemplate converts the problems of a template. Most come from an expression that was
// meant for the resulting spec.
func ofTemplate(problems hcl.Diagnostics) diag.List {
	list := diag.FromHCL(problems)
	for i := range list {
		list[i].Detail += " In a template, ${ and %{ that are meant for the spec are written $${ and %%{."
	}
	return list
}

// locate finds a spec by its path or name: a file on the disk, a file inside the program,
// or a name that a template on the disk or in the program expands. A spec that is given as a
// text has its name for messages alone.
func (l *loader) locate(given string) (found, diag.List) {
	if given == "" {
		return found{}, diag.Errorf(nil, "No spec", "Give the path of a spec file or the name of a spec, such as <distro>-<driver>-<controllers>-<computes>-<hypervisors>.")
	}
	if l.src.Text != "" {
		return found{file: given, text: []byte(l.src.Text)}, nil
	}
	if file, diags := l.shipped(given); file.file != "" || diags != nil {
		return file, diags
	}
	for _, file := range candidates(given) {
		if err := l.src.Named(file); err != nil {
			return found{}, trust.Problem(nil, err)
		}
		text, err := l.src.ReadFile(file)
		if err == nil {
			return found{file: file, text: text}, ofAnotherLanguage(file)
		}
		if !errors.Is(err, fs.ErrNotExist) && !isFolder(l.src, file) {
			return found{}, diag.Errorf(nil, "Unreadable spec", "The spec %q could not be read: %v.", given, err)
		}
	}
	return l.expand(given)
}

// IsPath reports whether what names a spec means a file: it has a separator or the ending of a file. Any other name
// means the spec inside the program, if there is one.
func IsPath(given string) bool {
	return strings.ContainsRune(given, filepath.Separator) || strings.HasSuffix(given, suffix)
}

// Ships reports whether a spec of this name is inside the program.
func Ships(src Sources, given string) bool {
	l := &loader{src: src, spec: &Spec{Sources: map[string]*hcl.File{}}}
	file, diags := l.shipped(given)
	return file.file != "" || diags != nil
}

// shipped finds a spec inside the program by its name.
func (l *loader) shipped(given string) (found, diag.List) {
	if IsPath(given) {
		return found{}, nil
	}
	file := builtinPrefix + given + suffix
	if text, err := l.src.ReadFile(file); err == nil {
		return found{file: file, text: text}, nil
	}
	return l.fromTemplate(given, []string{builtinPrefix})
}

// ofAnotherLanguage returns the error for a file whose name says that it is no HCL.
func ofAnotherLanguage(file string) diag.List {
	switch filepath.Ext(file) {
	case ".yml", ".yaml":
		return diag.Errorf(nil, "Playbook of Ansible", "%s is YAML, and kinit's playbooks are HCL: docs/from-ansible.md has Ansible's tasks beside kinit's. "+
			"Inventories of Ansible are read unchanged, by -i. Ansible's modules can be called as they are: task \"ansible\" \"x\" { module = \"…\" }.", file)
	case ".tf":
		return diag.Errorf(nil, "Configuration of Terraform", "%s is for Terraform: kinit's playbooks have blocks of their own, in files whose names end in %s. docs/language.md explains them.", file, suffix)
	case ".ini", ".cfg":
		return diag.Errorf(nil, "Inventory instead of a playbook", "%s is an inventory or a configuration: give it by -i, and a playbook in HCL as the SPEC.", file)
	}
	return nil
}

// candidates lists the files a spec may be in, the best one first. A path below specs/ also
// names a file inside the program.
func candidates(given string) []string {
	files := []string{given}
	if !strings.HasSuffix(given, suffix) {
		files = append(files, given+suffix)
	}
	if name, ok := shippedName(given); ok {
		files = append(files, builtinPrefix+name+suffix)
	}
	return files
}

// isPlaybook reports whether a name is that of a folder and of no spec.
func (l *loader) isPlaybook(given string) bool {
	isSpec := func(file string) bool { return isFile(l.src, file) }
	return l.src.Text == "" && given != "" && isFolder(l.src, given) && !slices.ContainsFunc(candidates(given), isSpec) && !grammar.MatchString(filepath.Base(given))
}

// isFile reports whether a name can be read as a file.
func isFile(src Sources, name string) bool {
	info, err := src.Stat(name)
	return err == nil && !info.IsDir()
}

func isFolder(src Sources, name string) bool {
	_, err := src.ReadDir(name)
	return err == nil
}
