// Package unitfile writes and checks the text of systemd's unit files.
package unitfile

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/lists"
)

// Folder is where the administrator's units are; man systemd.unit.
const Folder = "/etc/systemd/system/"

// types are the types of units that are made from files.
var types = []string{".service", ".socket", ".timer", ".path", ".mount", ".automount", ".swap", ".target", ".slice"}

// Name is the full name of a unit: ".service" is added to one that does not end with a type, as systemctl does. So
// "app@1.2" is the instance "1.2" of a service.
func Name(name string) string {
	if end := path.Ext(name); slices.Contains(types, end) || end == ".device" || end == ".scope" {
		return name
	}
	return name + ".service"
}

// IsTemplate reports whether a unit is a template: systemd makes its instances from its file, and
// has no state of the template itself; man systemd.unit.
func IsTemplate(unit string) bool {
	return strings.HasSuffix(strings.TrimSuffix(unit, path.Ext(unit)), "@")
}

// CheckRuns returns an error if the unit is a template.
func CheckRuns(unit string) error {
	if !IsTemplate(unit) {
		return nil
	}
	kind := path.Ext(unit)
	return fmt.Errorf("%s is a template, which does not run itself: want state, enabled, masked and restart_on "+
		"in the task of an instance, such as %q", unit, strings.TrimSuffix(unit, kind)+"1"+kind)
}

// stem matches the name of a unit without its type.
var stem = regexp.MustCompile(`\A[A-Za-z0-9:_.\\@][A-Za-z0-9:_.\\@-]*\z`)

// CheckName returns the mistake in the name of a unit that is made from a file;
// man systemd.unit.
func CheckName(name string) error {
	full := Name(name)
	if !stem.MatchString(strings.TrimSuffix(full, path.Ext(full))) || len(full) > 255 || !slices.Contains(types, path.Ext(full)) {
		return fmt.Errorf("name is %q, want a unit such as \"web\" or \"web.socket\", of a type among %s", name, strings.Join(types, " "))
	}
	return nil
}

// Check returns the first line of a unit's text that systemd would pass over with
// no more than a warning in its log; man systemd.syntax.
func Check(text string) error {
	section, continued := "", false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		comment := strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";")
		switch {
		case comment || trimmed == "" && !continued:
			continue // a comment between continued lines does not end them
		case continued:
		case strings.HasPrefix(trimmed, "[") && strings.HasSuffix(trimmed, "]"):
			section = trimmed
		case section == "":
			return fmt.Errorf("line %d is %q, want a section such as [Service] before it", i+1, trimmed)
		case !strings.Contains(trimmed, "=") || strings.HasPrefix(trimmed, "="):
			return fmt.Errorf("line %d is %q, want \"Name=value\" or a section such as [Service]", i+1, trimmed)
		}
		continued = strings.HasSuffix(trimmed, `\`)
	}
	if section == "" {
		return errors.New("no section, want one such as [Service]")
	}
	return nil
}

// Command is a command line for ExecStart and its like, in which each argument
// arrives as it is: without specifiers and variables; man systemd.service, COMMAND
// LINES.
func Command(argv []string) string {
	quoted := lists.Map(argv, func(arg string) string { return strings.ReplaceAll(quote(arg), "$", "$$") })
	return strings.Join(quoted, " ")
}

// Environment is a value of the setting Environment; man systemd.exec.
func Environment(name, value string) string { return quote(name + "=" + value) }

var wordEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

// plain matches a word that needs no quotes.
var plain = regexp.MustCompile(`\A[A-Za-z0-9%$+,./:=@_-]+\z`)

// quote writes a word between double quotes unless it is plain.
func quote(word string) string {
	word = strings.ReplaceAll(word, "%", "%%")
	if plain.MatchString(word) {
		return word
	}
	return `"` + wordEscapes.Replace(word) + `"`
}

// Line is a value for a setting that takes the rest of its line as text, such as
// Description.
func Line(text string) string { return strings.ReplaceAll(text, "%", "%%") }
