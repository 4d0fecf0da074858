package cim

import (
	"strings"
	"time"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/powershell/value"
)

// object is an instance of a class.
func object(class string, properties ...*value.Property) *value.Object {
	o := value.NewObject(instance+class, append(properties, value.P("CimClass",
		value.NewObject("Microsoft.Management.Infrastructure.CimClass", value.P("CimClassName", class))))...)
	o.Text = func() string { return class }
	return o
}

// memory is what the machine has, in bytes: 8 GiB less what the firmware keeps.
const memory = 8589463552

func (i module) operatingSystem() []*value.Object {
	m := i.m
	r := m.Release()
	architecture, locale, language := "64-bit", "0409", uint32(1033)
	if m.Language() == "de-DE" {
		architecture, locale, language = "64-Bit", "0407", 1031
	}
	return []*value.Object{object("Win32_OperatingSystem",
		value.P("Caption", "Microsoft "+r.Name), value.P("Version", text("10.0.%d", r.Build)), value.P("BuildNumber", text("%d", r.Build)),
		value.P("ProductType", uint32(3)), value.P("OperatingSystemSKU", uint32(80)), value.P("LastBootUpTime", cmdlet.Time(m.UpSince().UTC())),
		value.P("LocalDateTime", cmdlet.Time(m.Now().UTC())), value.P("InstallDate", cmdlet.Time(m.Installed().UTC())),
		value.P("CSName", m.ComputerName()), value.P("OSArchitecture", architecture), value.P("OSLanguage", language), value.P("Locale", locale),
		value.P("MUILanguages", value.NewStrings(m.Language())), value.P("SystemDrive", "C:"), value.P("WindowsDirectory", `C:\Windows`),
		value.P("SystemDirectory", `C:\Windows\system32`), value.P("Status", "OK"),
		value.P("TotalVisibleMemorySize", uint64(memory/1024)), value.P("FreePhysicalMemory", uint64(memory/2048)))}
}

func (i module) computerSystem() []*value.Object {
	m := i.m
	return []*value.Object{object("Win32_ComputerSystem",
		value.P("Name", m.ComputerName()), value.P("DNSHostName", m.HostName()), value.P("Domain", "WORKGROUP"), value.P("Workgroup", "WORKGROUP"),
		value.P("PartOfDomain", false), value.P("Manufacturer", "QEMU"), value.P("Model", "Standard PC (Q35 + ICH9, 2009)"),
		value.P("TotalPhysicalMemory", uint64(memory)), value.P("NumberOfLogicalProcessors", uint32(4)), value.P("NumberOfProcessors", uint32(1)),
		value.P("HypervisorPresent", true), value.P("SystemType", "x64-based PC"), value.P("UserName", nil))}
}

// processes are those of the system, which start with it, and those that were started
// since.
func (i module) processes() []*value.Object {
	var all []*value.Object
	boot := i.m.LastBoot().UTC()
	for n, name := range []string{"System Idle Process", "System", "smss.exe", "csrss.exe", "wininit.exe", "services.exe", "lsass.exe"} {
		var path any
		if strings.HasSuffix(name, ".exe") {
			path = `C:\Windows\system32\` + name
		}
		all = append(all, process(uint32(n*4), name, path, nil, boot.Add(time.Duration(n)*time.Millisecond)))
	}
	for _, p := range i.m.Processes() {
		name := p.Image[strings.LastIndexByte(p.Image, '\\')+1:]
		all = append(all, process(uint32(p.ID), name, p.Image, p.Line, p.Started.UTC()))
	}
	return all
}

func process(id uint32, name string, path, line any, created time.Time) *value.Object {
	return object("Win32_Process", value.P("ProcessId", id), value.P("Handle", text("%d", id)), value.P("Name", name), value.P("Caption", name),
		value.P("ExecutablePath", path), value.P("CommandLine", line), value.P("SessionId", uint32(0)), value.P("CreationDate", cmdlet.Time(created)))
}

func (i module) services() []*value.Object {
	var all []*value.Object
	for _, name := range i.m.Services.Names() {
		c, err := i.m.Services.Config(name)
		if err != nil {
			continue
		}
		status, err := i.m.Services.Status(name)
		if err != nil {
			continue
		}
		mode := map[scm.StartType]string{scm.Boot: "Boot", scm.System: "System", scm.Auto: "Auto", scm.Manual: "Manual", scm.Disabled: "Disabled"}[c.Start]
		state := map[scm.State]string{scm.Stopped: "Stopped", scm.StartPending: "Start Pending", scm.StopPending: "Stop Pending", scm.Running: "Running"}[status.State]
		var description any
		if c.Description != "" {
			description = c.Description
		}
		all = append(all, object("Win32_Service", value.P("Name", c.Name), value.P("DisplayName", c.DisplayName), value.P("Description", description),
			value.P("PathName", c.Image), value.P("StartMode", mode), value.P("State", state), value.P("Started", status.State == scm.Running),
			value.P("StartName", c.Account), value.P("ProcessId", uint32(status.PID)), value.P("ExitCode", uint32(status.Exit)), value.P("ServiceSpecificExitCode", uint32(0)),
			value.P("DelayedAutoStart", c.Delayed), value.P("Status", "OK")))
	}
	return all
}

// memberships are Win32_GroupUser: a group and the path of one of its users.
func (i module) memberships() []*value.Object {
	var all []*value.Object
	for _, g := range i.m.Accounts.Groups() {
		for _, sid := range g.Members {
			u, err := i.m.Accounts.User(sid)
			if err != nil {
				continue
			}
			path := "Win32_UserAccount.Domain='" + i.m.ComputerName() + "',Name='" + u.Name + "'"
			all = append(all, value.NewObject(instance+"Win32_GroupUser", value.P("GroupComponent", value.NewObject(instance+"Win32_Group", value.P("Name", g.Name))), value.P("PartComponent", path)))
		}
	}
	return all
}

func (i module) disks() []*value.Object {
	var all []*value.Object
	for _, d := range i.m.Files.Drives() {
		kind := uint32(d.Type)
		file := "NTFS"
		if d.Type == ntfs.CDRom {
			file = "UDF"
		}
		all = append(all, object("Win32_LogicalDisk", value.P("DeviceID", d.Letter+":"), value.P("Name", d.Letter+":"), value.P("DriveType", kind),
			value.P("Size", uint64(d.Size)), value.P("FreeSpace", uint64(d.Free)), value.P("VolumeName", d.Label), value.P("FileSystem", file)))
	}
	return all
}
