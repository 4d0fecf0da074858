package unattend

// identity names a component. All but the name are the same for every component of
// 64-bit Windows.
type identity struct {
	Name         string `xml:"name,attr"`
	Architecture string `xml:"processorArchitecture,attr"`
	Token        string `xml:"publicKeyToken,attr"`
	Language     string `xml:"language,attr"`
	Scope        string `xml:"versionScope,attr"`
}

func named(name string) identity {
	return identity{Name: name, Architecture: "amd64", Token: "31bf3856ad364e35", Language: "neutral", Scope: "nonSxS"}
}

// add is the attribute that every item of a list has.
const add = "add"

// onError lets Setup ask a person only where an answer does not work.
const onError = "OnError"

// lua is user account control.
type lua struct {
	identity
	EnableLUA bool
}

func newLUA() lua { return lua{identity: named("Microsoft-Windows-LUA-Settings")} }

// spp is licensing: SkipRearm leaves the number of times that the evaluation can be
// started again as it is.
type spp struct {
	identity
	SkipRearm int
}

func newSPP() spp { return spp{identity: named("Microsoft-Windows-Security-SPP"), SkipRearm: 1} }

// pnpSysprep keeps devices and their drivers when a system is sealed: those of its
// copies are the same.
type pnpSysprep struct {
	identity
	PersistAllDeviceInstalls bool
}

func newPnpSysprep() pnpSysprep {
	return pnpSysprep{identity: named("Microsoft-Windows-PnpSysprep"), PersistAllDeviceInstalls: true}
}

// sppUX is the part of licensing that people see.
type sppUX struct {
	identity
	SkipAutoActivation bool
}

func newSPPUX() sppUX {
	return sppUX{identity: named("Microsoft-Windows-Security-SPP-UX"), SkipAutoActivation: true}
}

type serverManager struct {
	identity
	DoNotOpenServerManagerAtLogon bool
}

func newServerManager() serverManager {
	return serverManager{identity: named("Microsoft-Windows-ServerManager-SvrMgrNc"), DoNotOpenServerManagerAtLogon: true}
}

// terminalServices lets remote desktops in.
type terminalServices struct {
	identity
	DenyConnections bool `xml:"fDenyTSConnections"`
}

func newTerminalServices() terminalServices {
	return terminalServices{identity: named("Microsoft-Windows-TerminalServices-LocalSessionManager")}
}

// firewall opens groups of rules.
type firewall struct {
	identity
	FirewallGroups struct{ FirewallGroup []firewallGroup }
}

type firewallGroup struct {
	Action  string `xml:"wcm:action,attr"`
	Key     string `xml:"wcm:keyValue,attr"`
	Active  bool
	Group   string // a resource, since the group's name is in the system's language
	Profile string
}

func newFirewall() firewall {
	f := firewall{identity: named("Networking-MPSSVC-Svc")}
	f.FirewallGroups.FirewallGroup = []firewallGroup{{
		Action: add, Key: "RemoteDesktop", Active: true, Group: "@FirewallAPI.dll,-28752", Profile: "all",
	}}
	return f
}

// deployment runs commands in the specialize pass.
type deployment struct {
	identity
	RunSynchronous runSynchronous
}

type runSynchronous struct{ RunSynchronousCommand []runSynchronousCommand }

type runSynchronousCommand struct {
	Action     string `xml:"wcm:action,attr"`
	Order      int
	Path       string
	WillReboot string `xml:",omitempty"`
}

func newDeployment(commands ...runSynchronousCommand) deployment {
	return deployment{identity: named("Microsoft-Windows-Deployment"), RunSynchronous: inOrder(commands)}
}

// inOrder numbers commands from 1.
func inOrder(commands []runSynchronousCommand) runSynchronous {
	for i := range commands {
		commands[i].Action, commands[i].Order = add, i+1
	}
	return runSynchronous{RunSynchronousCommand: commands}
}
