package sequences

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Command is one step of a sequence: a command of kinit, and what happens meanwhile. Its zero
// fields are left out of the command line, so the fewer it has, the simpler it is.
type Command struct {
	Verb      string        // run, plan, status, replace, evacuate, ci, backup, restore; or that of the machines: down, up
	Spec      string        // without its ending; shop when empty
	Hosts     []string      // --hosts
	Aliases   bool          // the inventory has each host under a second name
	Web       int           // --set pool.web.count, unless 0
	Driver    string        // --set pool.web.driver
	Place     string        // --set node.web-01.hypervisor
	Name      string        // --set cluster.name
	Size      string        // --var size
	CIDR      string        // --var cidr
	Extras    []string      // --var extras
	StopAfter string        // --stop-after
	StartAt   string        // --start-at
	Only      string        // --only
	Limit     string        // --limit
	Lost      string        // --lost
	Node      string        // of replace, or the hypervisor of evacuate
	Flags     []string      // further words of the command line, such as --adopt
	Other     bool          // another controller does it, which knows nothing of the first
	Clock     time.Duration // how far kinit's own clock is off
	Fault     string        // kill, cut, or full
	At        int           // the event of the run at which the fault happens
	On        string        // the host of the fault
	With      *Command      // runs at the same time
	Line      []string      // the command line as kinit has advised it, in place of one made of the fields
}

// Args returns the command line after the program's name.
func (c Command) Args(inventory, aliases string) []string {
	if len(c.Line) > 0 {
		return c.Line
	}
	if c.Aliases {
		inventory = aliases
	}
	if c.Verb == "ci" {
		return append([]string{"ci", "run", "jobs.hcl"}, c.Flags...)
	}
	args := []string{c.Verb, c.spec() + ".hcl"}
	switch c.Verb {
	case "replace", "evacuate":
		args = append(args, c.Node)
	case "backup":
		args = append(args, "--out", "shop.backup", "--overwrite", "--passphrase-file", "passphrase")
	case "restore":
		args = append(args, "shop.backup", "--passphrase-file", "passphrase")
	}
	add := func(value string, words ...string) {
		if value != "" {
			words[len(words)-1] += value
			args = append(args, words...)
		}
	}
	add(inventory, "-i", "")
	add(strings.Join(c.Hosts, ","), "--hosts", "")
	if c.Web > 0 {
		add(fmt.Sprint(c.Web), "--set", "pool.web.count=")
	}
	add(c.Driver, "--set", "pool.web.driver=")
	add(c.Place, "--set", "node.web-01.hypervisor=")
	add(c.Name, "--set", "cluster.name=")
	add(c.Size, "--var", "size=")
	add(c.CIDR, "--var", "cidr=")
	if len(c.Extras) > 0 {
		add(fmt.Sprintf("%q", c.Extras), "--var", "extras=")
		args[len(args)-1] = strings.ReplaceAll(args[len(args)-1], `" "`, `", "`)
	}
	add(c.StopAfter, "--stop-after", "")
	add(c.StartAt, "--start-at", "")
	add(c.Only, "--only", "")
	add(c.Limit, "--limit", "")
	add(c.Lost, "--lost", "")
	return append(args, c.Flags...)
}

func (c Command) spec() string {
	if c.Spec == "" {
		return "shop"
	}
	return c.Spec
}

// Cluster returns the name of the cluster that the command works on.
func (c Command) Cluster() string {
	switch {
	case c.Name != "":
		return c.Name
	case c.Spec == "renamed":
		return "store"
	}
	return "shop"
}

// Whole reports whether the command is a run of the whole spec.
func (c Command) Whole() bool {
	return c.Verb == "run" && c.StopAfter == "" && c.StartAt == "" && c.Only == "" && c.Limit == "" && !slices.Contains(c.Flags, "--check")
}

// Advised returns the command of a line that kinit has printed: kinit run shop.hcl --hosts h1.
func Advised(words []string) Command {
	c := Command{Verb: words[1], Spec: strings.TrimSuffix(words[2], ".hcl"), Line: words[1:]}
	values := map[string]func(string){
		"pool.web.count":  func(v string) { _, _ = fmt.Sscan(v, &c.Web) },
		"pool.web.driver": func(v string) { c.Driver = v },
		"cluster.name":    func(v string) { c.Name = v },
		"size":            func(v string) { c.Size = v },
		"cidr":            func(v string) { c.CIDR = v },
		"extras": func(v string) {
			c.Extras = strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(`[]", `, r) })
		},
	}
	for i := 3; i < len(words); i++ {
		word, value := words[i], ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch word {
		case "--hosts":
			c.Hosts = strings.Split(value, ",")
		case "-i":
			c.Aliases = path.Base(value) == aliasesFile
		case "--stop-after":
			c.StopAfter = value
		case "--set", "--var":
			if name, v, _ := strings.Cut(value, "="); values[name] != nil {
				values[name](v)
			} else {
				c.Flags = append(c.Flags, word, value)
			}
		case "--remove":
			c.Flags = append(c.Flags, word, value)
		case "--recreate", "--adopt":
			c.Flags = append(c.Flags, word)
		}
	}
	return c
}

// rewrite changes the command line that was advised as the command differs from another one, which had that line.
func (c *Command) rewrite(was Command) {
	switch {
	case len(c.Line) == 0:
		return
	case c.Aliases != was.Aliases:
		c.Line = nil
		return
	}
	line := slices.Clone(c.Line)
	if i := slices.Index(line, "--hosts"); i >= 0 && !slices.Equal(c.Hosts, was.Hosts) {
		line[i+1] = strings.Join(c.Hosts, ",")
	}
	if c.Lost != was.Lost {
		if i := slices.Index(line, "--lost"); i >= 0 {
			line[i+1] = c.Lost
		} else {
			line = append(line, "--lost", c.Lost)
		}
	}
	c.Line = append(line, c.Flags[min(len(was.Flags), len(c.Flags)):]...)
}

// leaveOut returns words without a name in the lists of a flag.
func leaveOut(words []string, flag, name string) (left []string) {
	for i := 0; i < len(words); i++ {
		if words[i] != "--"+flag || i+1 == len(words) {
			left = append(left, words[i])
			continue
		}
		i++
		names := slices.DeleteFunc(strings.Split(words[i], ","), func(one string) bool { return one == name })
		if len(names) > 0 {
			left = append(left, "--"+flag, strings.Join(names, ","))
		}
	}
	return left
}

// loses says whether the command gives a host up as lost.
func (c Command) loses(host string) bool {
	return c.Lost != "" && slices.Contains(strings.Split(c.Lost, ","), host)
}

// Declared returns the run that declares what this command does: it without faults and selections.
func (c Command) Declared() Command {
	return Command{Verb: "run", Spec: c.Spec, Hosts: c.Hosts, Aliases: c.Aliases, Web: c.Web, Driver: c.Driver, Name: c.Name, Size: c.Size, CIDR: c.CIDR, Extras: c.Extras, Other: c.Other}
}

// String returns the command as Go code, without its zero fields.
func (c Command) String() string {
	var fields []string
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		text := fmt.Sprintf("%#v", f.Interface())
		switch value := f.Interface().(type) {
		case *Command:
			text = "&" + value.String()
		case time.Duration:
			text = fmt.Sprintf("%d * time.Second", int(value.Seconds()))
		}
		fields = append(fields, v.Type().Field(i).Name+": "+text)
	}
	return "sequences.Command{" + strings.Join(fields, ", ") + "}"
}

// Simpler returns the command with one thing less, in each way.
func (c Command) Simpler() []Command {
	var all []Command
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.IsZero() || slices.Contains([]string{"Verb", "Node", "On", "At"}, name) {
			continue
		}
		less := c
		to := reflect.ValueOf(&less).Elem().Field(i)
		if f.Kind() == reflect.Slice && f.Len() > 1 {
			for j := range f.Len() {
				one := c
				reflect.ValueOf(&one).Elem().Field(i).Set(reflect.AppendSlice(f.Slice3(0, j, j), f.Slice(j+1, f.Len())))
				all = append(all, one)
			}
			continue
		}
		if name == "Hosts" {
			continue // all hosts of the inventory are more
		}
		to.SetZero()
		if name == "Fault" {
			less.At, less.On = 0, ""
		}
		all = append(all, less)
	}
	return all
}
