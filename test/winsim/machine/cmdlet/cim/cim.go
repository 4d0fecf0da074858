// Package cim is the cmdlets of the module CimCmdlets and the classes of WMI that scripts
// ask for.
package cim

import (
	"context"
	"fmt"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const instance = "Microsoft.Management.Infrastructure.CimInstance#root/cimv2/"

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets of the module on a machine.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	i := module{m}
	return []interp.Cmdlet{
		{Name: "Get-CimInstance", Aliases: []string{"gcim"}, Run: i.get, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, cmdlet.Text("ClassName"))), cmdlet.Text("Filter"), cmdlet.Texts("Property"), cmdlet.Text("Namespace"),
		}},
		{Name: "Invoke-CimMethod", Aliases: []string{"icim"}, Confirms: true, Run: i.invoke, Parameters: []interp.Parameter{
			cmdlet.At(1, cmdlet.Text("ClassName")), cmdlet.Piped(cmdlet.Any("InputObject")),
			cmdlet.Needed(cmdlet.At(2, cmdlet.Text("MethodName"))), cmdlet.At(3, interp.Parameter{Name: "Arguments", Type: "hashtable"}),
		}},
	}
}

// classes are the instances of the classes that are modelled.
func (i module) classes() map[string]func() []*value.Object {
	return map[string]func() []*value.Object{
		"win32_operatingsystem": i.operatingSystem, "win32_computersystem": i.computerSystem,
		"win32_process": i.processes, "win32_service": i.services, "win32_logicaldisk": i.disks, "win32_groupuser": i.memberships,
		"softwarelicensingproduct": i.products, "softwarelicensingservice": i.licensing,
	}
}

func (i module) get(ctx context.Context, c *interp.Call) error {
	if space := strings.ReplaceAll(strings.ToLower(c.String("Namespace")), `\`, "/"); space != "" && space != "root/cimv2" {
		return unknown.New("the CIM namespace %s", c.String("Namespace"))
	}
	list, ok := i.classes()[strings.ToLower(c.String("ClassName"))]
	if !ok {
		return unknown.New("the CIM class %s", c.String("ClassName"))
	}
	keep, err := parseFilter(c.String("Filter"))
	if err != nil {
		return err
	}
	for _, o := range list() {
		fits, err := keep(o)
		if err != nil {
			return err
		}
		if !fits {
			continue
		}
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// parseFilter reads a filter in WQL: comparisons for equality, joined by AND.
func parseFilter(text string) (func(*value.Object) (bool, error), error) {
	type term struct{ name, want string }
	var terms []term
	for _, part := range splitAnd(text) {
		name, want, ok := strings.Cut(part, "=")
		name, want = strings.TrimSpace(name), strings.TrimSpace(want)
		if !ok || strings.ContainsAny(name, "<>! ") {
			return nil, unknown.New("the filter %q of Get-CimInstance", text)
		}
		terms = append(terms, term{name, unquote(want)})
	}
	return func(o *value.Object) (bool, error) {
		for _, t := range terms {
			p := o.Find(t.name)
			if p == nil {
				return false, unknown.New("the property %s of %s", t.name, o.Type)
			}
			v, err := p.Read()
			if err != nil || !strings.EqualFold(value.String(v), t.want) {
				return false, err
			}
		}
		return true, nil
	}, nil
}

// unquote takes the quotes off a text, of either kind.
func unquote(text string) string {
	if len(text) > 1 && strings.ContainsAny(text[:1], `'"`) && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

func splitAnd(text string) []string {
	var parts []string
	for rest := text; strings.TrimSpace(rest) != ""; {
		i := strings.Index(strings.ToUpper(rest), " AND ")
		if i < 0 {
			return append(parts, rest)
		}
		parts = append(parts, rest[:i])
		rest = rest[i+5:]
	}
	return parts
}

// invoke calls a method of a class or of an instance.
func (i module) invoke(ctx context.Context, c *interp.Call) error {
	class := c.String("ClassName")
	if o, ok := c.Value("InputObject").(*value.Object); ok {
		class = strings.TrimPrefix(o.Type, instance)
	}
	arguments, _ := value.Base(c.Value("Arguments")).(*value.Hashtable)
	argument := func(name string) string {
		if arguments == nil {
			return ""
		}
		v, _ := arguments.Get(name)
		return value.String(v)
	}
	switch strings.ToLower(class + "." + c.String("MethodName")) {
	case "softwarelicensingproduct.activate":
		if err := i.m.Activate(); err != nil {
			return err
		}
		return i.result(ctx, c, 0)
	case "softwarelicensingservice.refreshlicensestatus":
		return i.result(ctx, c, 0)
	case "win32_service.delete":
		return i.result(ctx, c, serviceCode(i.m.Services.Delete(instanceName(c))))
	case "win32_service.change":
		code, err := i.changeService(instanceName(c), arguments)
		if err != nil {
			return err
		}
		return i.result(ctx, c, code)
	case "win32_computersystem.rename":
		return i.result(ctx, c, i.rename(argument("Name")))
	case "win32_operatingsystem.reboot":
		return i.result(ctx, c, uint32(cmdlet.Code(i.m.Shutdown(0, true))))
	case "win32_process.create":
		return i.create(ctx, c, argument("CommandLine"), argument("CurrentDirectory"))
	default:
		return unknown.New("the CIM method %s of %s", c.String("MethodName"), class)
	}
}

func (i module) result(ctx context.Context, c *interp.Call, code uint32, more ...*value.Property) error {
	return c.WriteObject(ctx, value.NewObject("Microsoft.Management.Infrastructure.CimMethodResult", append(more, value.P("ReturnValue", code))...))
}

// errorInvalidName is ERROR_INVALID_COMPUTERNAME.
const errorInvalidName = 1210

// rename is Win32_ComputerSystem.Rename, which returns a system error code.
func (i module) rename(name string) uint32 {
	if name == "" || len(name) > 63 || strings.ContainsAny(name, "`~!@#$%^&*()=+_[]{}\\|;:.'\",<>/? ") || strings.Trim(name, "0123456789") == "" {
		return errorInvalidName
	}
	if err := i.m.Rename(name); err != nil {
		return uint32(cmdlet.Code(err))
	}
	return 0
}

// create starts a process without a parent.
func (i module) create(ctx context.Context, c *interp.Call, line, dir string) error {
	words := machine.SplitArgs(line)
	if len(words) == 0 {
		return i.result(ctx, c, 21) // invalid parameter
	}
	p, err := i.m.Launch(context.WithoutCancel(ctx), machine.Start{
		Program: words[0], Args: words[1:], Line: line, Dir: dir, User: cmdlet.User(i.m, c.Session),
	})
	if err != nil {
		return i.result(ctx, c, 9) // path not found
	}
	return i.result(ctx, c, 0, value.P("ProcessId", uint32(p.ID)))
}

func text(format string, args ...any) string { return fmt.Sprintf(format, args...) }
