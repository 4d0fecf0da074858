package unattend

import (
	"encoding/base64"
	"encoding/binary"
	"unicode/utf16"

	"kinit/engine/secret"
)

// administrator is the built-in account's name on English media, the only ones that
// the names of images and this one are for.
const administrator = "Administrator"

// clock sets in Windows that the machine's clock is UTC, as libvirt's is.
const clock = `reg.exe add HKLM\SYSTEM\CurrentControlSet\Control\TimeZoneInformation /v RealTimeIsUniversal /t REG_DWORD /d 1 /f`

// specialize is the pass that names the computer, where it has a name, and runs commands.
func (s System) specialize(computer string, further ...command) element {
	return pass("specialize",
		component("Microsoft-Windows-Shell-Setup", given("ComputerName", computer), set("TimeZone", s.TimeZone)),
		component("Microsoft-Windows-Deployment", run(append([]command{{path: clock}}, further...)...)),
		component("Microsoft-Windows-Security-SPP-UX", set("SkipAutoActivation", true)),
		component("Microsoft-Windows-ServerManager-SvrMgrNc", set("DoNotOpenServerManagerAtLogon", true)),
		// Remote desktops are let in. The group is a resource, since its name is in the system's language.
		component("Microsoft-Windows-TerminalServices-LocalSessionManager", set("fDenyTSConnections", false)),
		component("Networking-MPSSVC-Svc", in("FirewallGroups",
			add("FirewallGroup", set("Active", true), set("Group", "@FirewallAPI.dll,-28752"), set("Profile", "all")).
				with("wcm:keyValue", "RemoteDesktop"))),
	)
}

// oobe is the first start: no questions, one login, one command in it.
func (s System) oobe() element {
	return component("Microsoft-Windows-Shell-Setup",
		in("AutoLogon",
			set("Enabled", true), set("LogonCount", 1), hidden("Password", s.Password), set("Username", administrator)),
		// One command alone: where one fails or restarts the computer, Windows forgets
		// those that would follow.
		in("FirstLogonCommands", add("SynchronousCommand",
			set("CommandLine", s.FirstLogon), set("Description", "kinit"), set("Order", 1))),
		in("OOBE",
			set("HideEULAPage", true), set("HideLocalAccountScreen", true), set("HideOEMRegistrationScreen", true),
			set("HideOnlineAccountScreens", true), set("HideWirelessSetupInOOBE", true),
			set("ProtectYourPC", 3)), // nothing is turned on that calls home
		in("UserAccounts", hidden("AdministratorPassword", s.Password)),
	)
}

// hidden is a password, hidden in the way that Microsoft's own tool hides it: the base64 of the UTF-16 of a
// password and the name of the setting. That is an encoding and protects nothing.
func hidden(setting string, password secret.Value) element {
	var raw []byte
	for _, unit := range utf16.Encode([]rune(password.Reveal() + setting)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return in(setting, set("PlainText", false), set("Value", base64.StdEncoding.EncodeToString(raw)))
}
