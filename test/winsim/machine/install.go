package machine

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"strings"

	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
)

// SystemFolder is where the system's programs are.
const SystemFolder = `C:\Windows\system32`

// PowerShellPath is Windows PowerShell's executable.
const PowerShellPath = SystemFolder + `\WindowsPowerShell\v1.0\powershell.exe`

// Keys of the registry.
const (
	currentVersion  = `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	windowsVersion  = `HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion`
	computerName    = `HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName`
	activeName      = `HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName`
	tcpipParameters = `HKLM\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters`
	sessionManager  = `HKLM\SYSTEM\CurrentControlSet\Control\Session Manager`
)

// ComputerName is the name that the machine has since its last boot.
func (m *Machine) ComputerName() string {
	if name := m.Registry.Text(activeName, "ComputerName"); name != "" {
		return name
	}
	return m.options.Name
}

// NextComputerName is the name that the machine has after its next boot.
func (m *Machine) NextComputerName() string { return m.Registry.Text(computerName, "ComputerName") }

// HostName is the name that the machine has in DNS since its last boot: as it was
// written, while the other is in upper case and cut.
func (m *Machine) HostName() string { return m.Registry.Text(tcpipParameters, "Hostname") }

// NextHostName is the DNS name after the next boot.
func (m *Machine) NextHostName() string { return m.Registry.Text(tcpipParameters, "NV Hostname") }

// netbiosLength is how long a computer name may be.
const netbiosLength = 15

// Rename gives the machine another name, which it has after the next boot.
func (m *Machine) Rename(name string) error {
	short := strings.ToUpper(name)
	if len(short) > netbiosLength {
		short = short[:netbiosLength]
	}
	err := m.Registry.Set(computerName, registry.Text("ComputerName", short))
	if err != nil {
		return err
	}
	return m.Registry.Set(tcpipParameters, registry.Text("NV Hostname", name))
}

// defaultAdapter is the adapter of a machine of which nothing else is said.
func defaultAdapter() network.Adapter {
	return network.Adapter{
		Name: "Ethernet", Description: "Red Hat VirtIO Ethernet Adapter", Index: 6, MAC: "52-54-00-12-34-56", MTU: 1500,
		Address: netip.MustParsePrefix("192.0.2.10/24"), Gateway: netip.MustParseAddr("192.0.2.1"),
		DNS: []netip.Addr{netip.MustParseAddr("192.0.2.1")}, Category: "Public", DHCP: true,
	}
}

// install puts on the disk and into the registry what Setup puts there.
func (m *Machine) install() error {
	for _, folder := range folders() {
		if err := m.Files.Mkdir(folder); err != nil {
			return err
		}
	}
	version := fmt.Sprintf("10.0.%d.%d", m.state.Release.Build, m.state.Release.Revision)
	for _, path := range systemPrograms(m.state.Release) {
		name := strings.TrimSuffix(path[strings.LastIndexByte(path, '\\')+1:], ".exe")
		if err := m.Files.WriteFile(path, Stand(name, version)); err != nil {
			return err
		}
	}
	if err := m.installRegistry(); err != nil {
		return err
	}
	if err := m.installServices(); err != nil {
		return err
	}
	if err := m.Rename(m.options.Name); err != nil {
		return err
	}
	if err := m.Registry.Set(tcpipParameters, registry.Text("Hostname", m.options.Name), registry.Text("Domain", "")); err != nil {
		return err
	}
	// A server answers over HTTP from the beginning.
	if err := m.AddListener(Listener{Transport: "HTTP", Address: "*"}.WithPort()); err != nil {
		return err
	}
	return m.MakeProfile("Administrator")
}

// MakeProfile makes a user's home, as the first logon does.
func (m *Machine) MakeProfile(user string) error {
	u, err := m.Accounts.User(user)
	if err != nil {
		return err
	}
	home := m.Home(u.SID)
	if _, err := m.Files.Stat(home); err == nil {
		return nil
	}
	for _, folder := range []string{`\Desktop`, `\Documents`, `\AppData\Local\Temp`, `\AppData\Roaming`} {
		if err := m.Files.Mkdir(home + folder); err != nil {
			return err
		}
	}
	temp := registry.Value{Name: "TEMP", Kind: registry.ExpandString, Text: `%USERPROFILE%\AppData\Local\Temp`}
	tmp := temp
	tmp.Name = "TMP"
	path := registry.Value{Name: "Path", Kind: registry.ExpandString, Text: `%USERPROFILE%\AppData\Local\Microsoft\WindowsApps;`}
	if err := m.Registry.Set(registry.For(u.SID, UserEnvironment), path, temp, tmp); err != nil {
		return err
	}
	profiles := currentVersion + `\ProfileList\` + u.SID
	return m.Registry.Set(profiles, registry.Value{Name: "ProfileImagePath", Kind: registry.ExpandString, Text: home})
}

func folders() []string {
	return []string{
		`C:\PerfLogs`, `C:\Program Files\Common Files`, `C:\Program Files (x86)`, `C:\ProgramData\Microsoft\Windows`,
		`C:\Users\Public`, `C:\Users\Default`, SystemFolder + `\config\systemprofile\AppData\Local`, SystemFolder + `\drivers\etc`,
		SystemFolder + `\WindowsPowerShell\v1.0\Modules`, SystemFolder + `\Sysprep\Panther`, `C:\Windows\Temp`, `C:\Windows\Setup\Scripts`,
		`C:\Windows\Panther`, `C:\Windows\ServiceProfiles\LocalService`, `C:\Windows\ServiceProfiles\NetworkService`,
		SystemFolder + `\OpenSSH`, SystemFolder + `\wbem`,
	}
}

// systemPrograms are the paths of programs that are part of Windows. Not all of them do
// something here: one that does not is unknown when it is started.
func systemPrograms(r Release) []string {
	names := []string{
		"bcdedit", "certutil", "cmd", "cscript", "curl", "dism", "diskpart", "fsutil", "hostname", "icacls", "ipconfig", "msiexec",
		"net", "netsh", "ping", "reg", "robocopy", "sc", "schtasks", "setx", "shutdown", "svchost", "takeown", "tar", "taskkill",
		"tasklist", "logoff", "pnputil", "route", "tzutil", "w32tm", "wevtutil", "where", "whoami", "winrs", "xcopy", `Sysprep\sysprep`,
		`WindowsPowerShell\v1.0\powershell`,
	}
	if r.Build < 26100 {
		names = append(names, `wbem\WMIC`)
	} else {
		names = append(names, `OpenSSH\sshd`, `OpenSSH\ssh-keygen`)
	}
	for i, name := range names {
		names[i] = SystemFolder + `\` + name + ".exe"
	}
	return names
}

// installServices makes the services of every server.
func (m *Machine) installServices() error {
	type service struct {
		name, display string
		start         scm.StartType
		delayed       bool
		needs         []string
	}
	services := []service{
		{name: "RpcSs", display: "Remote Procedure Call (RPC)", start: scm.Auto},
		{name: "EventLog", display: "Windows Event Log", start: scm.Auto},
		{name: "nsi", display: "Network Store Interface Service", start: scm.Auto},
		{name: "BFE", display: "Base Filtering Engine", start: scm.Auto, needs: []string{"RpcSs"}},
		{name: "mpssvc", display: "Windows Defender Firewall", start: scm.Auto, needs: []string{"BFE"}},
		{name: "Dhcp", display: "DHCP Client", start: scm.Auto, needs: []string{"nsi"}},
		{name: "Dnscache", display: "DNS Client", start: scm.Auto, needs: []string{"nsi"}},
		{name: "HTTP", display: "HTTP Service", start: scm.Manual},
		{name: "LanmanServer", display: "Server", start: scm.Auto},
		{name: "LanmanWorkstation", display: "Workstation", start: scm.Auto, needs: []string{"nsi"}},
		{name: "Schedule", display: "Task Scheduler", start: scm.Auto, needs: []string{"RpcSs", "EventLog"}},
		{name: "TermService", display: "Remote Desktop Services", start: scm.Manual, needs: []string{"RpcSs"}},
		{name: "Winmgmt", display: "Windows Management Instrumentation", start: scm.Auto, needs: []string{"RpcSs"}},
		{name: "WinRM", display: "Windows Remote Management (WS-Management)", start: scm.Auto, needs: []string{"RpcSs", "HTTP"}},
		{name: "W32Time", display: "Windows Time", start: scm.Manual},
		{name: "wuauserv", display: "Windows Update", start: scm.Manual, needs: []string{"RpcSs"}},
		{name: "BITS", display: "Background Intelligent Transfer Service", start: scm.Manual, needs: []string{"RpcSs"}},
		{name: "Spooler", display: "Print Spooler", start: scm.Auto, needs: []string{"RpcSs", "HTTP"}},
		{name: "TrustedInstaller", display: "Windows Modules Installer", start: scm.Manual},
		{name: "vmicheartbeat", display: "Hyper-V Heartbeat Service", start: scm.Manual},
	}
	if !m.options.NoDefender {
		services = append(services, service{name: "WinDefend", display: "Microsoft Defender Antivirus Service", start: scm.Auto, needs: []string{"RpcSs"}})
	}
	for _, s := range services {
		c := scm.Config{Name: s.name, DisplayName: s.display, Image: svchost(s.name), Start: s.start, Delayed: s.delayed, DependsOn: s.needs}
		if err := m.Services.Create(c); err != nil {
			return err
		}
	}
	if m.state.Release.Build < 26100 {
		return nil
	}
	// Windows Server 2025 carries OpenSSH, stopped.
	return m.Services.Create(scm.Config{
		Name: "sshd", DisplayName: "OpenSSH SSH Server", Image: `"%SystemRoot%\System32\OpenSSH\sshd.exe"`, Start: scm.Manual, DependsOn: []string{"RpcSs"},
	})
}

// machineGUID makes the id by which Setup tells one installation from another.
func machineGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// installRegistry sets what scripts read and Setup sets.
func (m *Machine) installRegistry() error {
	r := m.state.Release
	expand := func(name, text string) registry.Value {
		return registry.Value{Name: name, Kind: registry.ExpandString, Text: text}
	}
	language := map[bool]string{true: "0407", false: "0409"}[strings.HasPrefix(m.state.Language, "de")]
	for _, k := range []struct {
		path   string
		values []registry.Value
	}{
		{currentVersion, []registry.Value{
			registry.Text("ProductName", r.Name), registry.Text("EditionID", r.Edition), registry.Text("InstallationType", "Server Core"),
			registry.Text("CurrentBuild", fmt.Sprint(r.Build)), registry.Text("CurrentBuildNumber", fmt.Sprint(r.Build)),
			registry.Number("UBR", uint32(r.Revision)), registry.Number("CurrentMajorVersionNumber", 10), registry.Number("CurrentMinorVersionNumber", 0),
			registry.Text("CurrentVersion", "6.3"), registry.Text("DisplayVersion", r.Display), registry.Text("ReleaseId", "1809"),
			registry.Text("SystemRoot", `C:\Windows`), registry.Number("InstallDate", uint32(m.state.Installed.Unix())),
		}},
		{`HKLM\SOFTWARE\Microsoft\Cryptography`, []registry.Value{registry.Text("MachineGuid", machineGUID())}},
		{currentVersion + `\Winlogon`, []registry.Value{registry.Text("AutoAdminLogon", "0"), registry.Text("Shell", "explorer.exe")}},
		{windowsVersion, []registry.Value{
			registry.Text("ProgramFilesDir", `C:\Program Files`), registry.Text("ProgramFilesDir (x86)", `C:\Program Files (x86)`),
			registry.Text("CommonFilesDir", `C:\Program Files\Common Files`),
		}},
		{windowsVersion + `\Uninstall`, nil},
		{tcpipParameters + `\PersistentRoutes`, nil},
		{`HKLM\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall`, nil},
		{windowsVersion + `\Policies\System`, []registry.Value{registry.Number("EnableLUA", 1), registry.Number("FilterAdministratorToken", 0)}},
		{windowsVersion + `\Component Based Servicing`, nil},
		{windowsVersion + `\WindowsUpdate\Auto Update`, nil},
		{MachineEnvironment, []registry.Value{
			expand("Path", `%SystemRoot%\system32;%SystemRoot%;%SystemRoot%\System32\Wbem;%SYSTEMROOT%\System32\WindowsPowerShell\v1.0\;%SYSTEMROOT%\System32\OpenSSH\`),
			expand("ComSpec", `%SystemRoot%\system32\cmd.exe`), expand("TEMP", `%SystemRoot%\TEMP`), expand("TMP", `%SystemRoot%\TEMP`),
			expand("windir", `%SystemRoot%`), expand("PSModulePath", `%ProgramFiles%\WindowsPowerShell\Modules;%SystemRoot%\system32\WindowsPowerShell\v1.0\Modules`),
			registry.Text("PATHEXT", ".COM;.EXE;.BAT;.CMD;.VBS;.VBE;.JS;.JSE;.WSF;.WSH;.MSC"), registry.Text("OS", "Windows_NT"),
			registry.Text("PROCESSOR_ARCHITECTURE", "AMD64"), registry.Text("NUMBER_OF_PROCESSORS", "4"), registry.Text("USERNAME", "SYSTEM"),
		}},
		{`HKLM\SYSTEM\CurrentControlSet\Control\Nls\Language`, []registry.Value{registry.Text("InstallLanguage", language), registry.Text("Default", language)}},
		{`HKLM\SYSTEM\CurrentControlSet\Control\FileSystem`, []registry.Value{registry.Number("LongPathsEnabled", 0)}},
		{`HKLM\SYSTEM\CurrentControlSet\Control\TimeZoneInformation`, []registry.Value{registry.Text("TimeZoneKeyName", "UTC"), registry.Number("Bias", 0)}},
		{`HKLM\SYSTEM\CurrentControlSet\Control\Lsa`, []registry.Value{registry.Number("LimitBlankPasswordUse", 1)}},
		{`HKLM\SYSTEM\CurrentControlSet\Control\Terminal Server`, []registry.Value{registry.Number("fDenyTSConnections", 1)}},
		{`HKLM\SYSTEM\Setup`, []registry.Value{registry.Number("SystemSetupInProgress", 0), registry.Number("OOBEInProgress", 0)}},
	} {
		if err := m.Registry.Make(k.path); err != nil {
			return err
		}
		if err := m.Registry.Set(k.path, k.values...); err != nil {
			return err
		}
	}
	return nil
}
