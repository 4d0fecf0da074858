package grammar

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

//go:embed lists/*.gz
var listFiles embed.FS

// lists are what Windows PowerShell 5.1 and .NET Framework 4.8 have: lists/README.md. Names are in
// lower case.
type lists struct {
	commands map[string]map[string]parameter // those of all releases
	some     map[string]map[string]parameter // those that a release lacks
	types    map[string]members
	methods  map[string][]int // of all types: how many arguments they take
}

// parameter is one of a command.
type parameter struct {
	name    string
	of      string   // its type
	values  []string // that it accepts, if these are known
	missing string   // the releases that do not have it
}

// members are those of a type, with how many arguments they take; a property takes -1.
type members struct {
	static, instance map[string][]int
}

// enumeration reports whether the type is one.
func (m members) enumeration() bool { return m.instance["hasflag"] != nil }

// readLists reads the files.
func readLists() (*lists, error) {
	l := &lists{commands: map[string]map[string]parameter{}, some: map[string]map[string]parameter{}, types: map[string]members{}, methods: map[string][]int{}}
	commands, err := lines("lists/commands.txt.gz")
	if err != nil {
		return nil, err
	}
	for _, line := range commands {
		fields := strings.Split(line, "\t")
		all := l.some
		if everywhere(fields[1]) {
			all = l.commands
		}
		all[strings.ToLower(fields[0])] = parametersOf(fields[2:])
	}
	types, err := lines("lists/types.txt.gz")
	if err != nil {
		return nil, err
	}
	for _, line := range append(types, documented()...) {
		fields := strings.Split(line, "\t")
		m := members{static: membersOf(fields[1]), instance: membersOf(fields[2])}
		l.types[strings.ToLower(fields[0])] = m
		for name, counts := range m.instance {
			l.methods[name] = append(l.methods[name], counts...)
		}
	}
	return l, nil
}

func lines(name string) ([]string, error) {
	packed, err := listFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
}

// everywhere reports whether all releases that kinit supports have a command: it was recorded on
// 5.1 or is documented for it, or is documented for each server.
func everywhere(sources string) bool {
	in := strings.Split(sources, ",")
	return slices.Contains(in, "5.1") || slices.Contains(in, "5.1d") ||
		slices.Contains(in, "2019") && slices.Contains(in, "2022") && slices.Contains(in, "2025")
}

// parametersOf reads fields such as "Encoding:FileSystemCmdletProviderEncoding=ASCII|UTF8!5.1".
func parametersOf(fields []string) map[string]parameter {
	all := map[string]parameter{}
	for _, field := range fields {
		var p parameter
		field, p.missing, _ = strings.Cut(field, "!")
		field, values, limited := strings.Cut(field, "=")
		p.name, p.of, _ = strings.Cut(field, ":")
		if limited {
			p.values = strings.Split(values, "|")
		}
		all[strings.ToLower(p.name)] = p
	}
	return all
}

// membersOf reads words such as "Length" and "Split(1,2,3)".
func membersOf(text string) map[string][]int {
	all := map[string][]int{}
	for _, word := range strings.Fields(text) {
		name, counts, method := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		name = strings.ToLower(name)
		if !method {
			all[name] = append(all[name], -1)
			continue
		}
		for _, text := range strings.Split(counts, ",") {
			if n, err := strconv.Atoi(text); err == nil {
				all[name] = append(all[name], n)
			}
		}
	}
	return all
}

// documented are types of namespaces that were not recorded, with the members that scripts use, from the
// reference of .NET Framework 4.8.
func documented() []string {
	return []string{
		"System.IO.Ports.SerialPort\tGetPortNames(0) new(0,1,2,3,4,5)\tClose(0) Open(0) WriteLine(1)",
		"System.Management.Automation.Host.PSHostUserInterface\t\tWriteErrorLine(1) WriteLine(0,1,3)",
		"System.Management.Automation.Language.NullString\tValue\tToString(0)",
	}
}

// common are the parameters that every command has.
func common() map[string]parameter {
	action := []string{"Continue", "Ignore", "Inquire", "SilentlyContinue", "Stop", "Suspend"}
	all := map[string]parameter{}
	for _, name := range strings.Fields("Verbose Debug ErrorVariable WarningVariable InformationVariable OutVariable OutBuffer PipelineVariable WhatIf Confirm") {
		all[strings.ToLower(name)] = parameter{name: name}
	}
	for _, name := range strings.Fields("ErrorAction WarningAction InformationAction") {
		all[strings.ToLower(name)] = parameter{name: name, values: action}
	}
	return all
}

// dynamic are parameters that a command has on a drive that is not that of files; New-Item makes
// listeners of WinRM with these.
func dynamic() map[string][]string {
	return map[string][]string{"new-item": {"address", "transport", "certificatethumbprint"}}
}

// shortTypes are the names of types that PowerShell abbreviates, besides those without "System".
func shortTypes() map[string]string {
	return map[string]string{
		"array": "System.Array", "bool": "System.Boolean", "byte": "System.Byte",
		"char": "System.Char", "datetime": "System.DateTime",
		"decimal": "System.Decimal", "double": "System.Double", "float": "System.Single", "guid": "System.Guid",
		"hashtable": "System.Collections.Hashtable", "int": "System.Int32", "int16": "System.Int16", "int32": "System.Int32",
		"int64": "System.Int64", "ipaddress": "System.Net.IPAddress", "long": "System.Int64",
		"ordered": "System.Collections.Specialized.OrderedDictionary", "nullstring": "System.Management.Automation.Language.NullString", "object": "System.Object",
		"pscredential": "System.Management.Automation.PSCredential", "pscustomobject": "System.Management.Automation.PSObject",
		"psobject": "System.Management.Automation.PSObject", "ref": "System.Management.Automation.PSReference",
		"regex": "System.Text.RegularExpressions.Regex", "sbyte": "System.SByte",
		"scriptblock": "System.Management.Automation.ScriptBlock", "single": "System.Single", "string": "System.String",
		"switch": "System.Management.Automation.SwitchParameter", "timespan": "System.TimeSpan", "type": "System.Type",
		"uint16": "System.UInt16", "uint32": "System.UInt32", "uint64": "System.UInt64", "uri": "System.Uri",
		"version": "System.Version", "void": "System.Void", "xml": "System.Xml.XmlDocument",
		"x509certificate2": "System.Security.Cryptography.X509Certificates.X509Certificate2",
	}
}
