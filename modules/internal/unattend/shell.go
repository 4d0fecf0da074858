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

// shellSpecialize names the computer.
type shellSpecialize struct {
	identity
	ComputerName string `xml:",omitempty"`
	TimeZone     string
}

func newShellSpecialize(name, zone string) shellSpecialize {
	return shellSpecialize{identity: named("Microsoft-Windows-Shell-Setup"), ComputerName: name, TimeZone: zone}
}

// shellOOBE is the first start: no questions, one login, one command in it.
type shellOOBE struct {
	identity
	AutoLogon          autoLogon
	FirstLogonCommands struct{ SynchronousCommand []synchronousCommand }
	OOBE               oobe
	UserAccounts       struct{ AdministratorPassword password }
}

type autoLogon struct {
	Enabled    bool
	LogonCount int
	Password   password
	Username   string
}

type synchronousCommand struct {
	Action      string `xml:"wcm:action,attr"`
	CommandLine string
	Description string
	Order       int
}

type oobe struct {
	HideEULAPage              bool
	HideLocalAccountScreen    bool
	HideOEMRegistrationScreen bool
	HideOnlineAccountScreens  bool
	HideWirelessSetupInOOBE   bool
	ProtectYourPC             int // 3 turns nothing on that calls home
}

// password is hidden in the way that Microsoft's own tool hides it. That is an
// encoding and protects nothing.
type password struct {
	PlainText bool
	Value     string
}

func (s System) oobe() shellOOBE {
	o := shellOOBE{
		identity: named("Microsoft-Windows-Shell-Setup"),
		AutoLogon: autoLogon{
			Enabled: true, LogonCount: 1, Username: administrator, Password: hidden(s.Password, "Password"),
		},
		OOBE: oobe{
			HideEULAPage: true, HideLocalAccountScreen: true, HideOEMRegistrationScreen: true,
			HideOnlineAccountScreens: true, HideWirelessSetupInOOBE: true, ProtectYourPC: 3,
		},
	}
	// One command alone: where one fails or restarts the computer, Windows forgets
	// those that would follow.
	o.FirstLogonCommands.SynchronousCommand = []synchronousCommand{{
		Action: add, CommandLine: s.FirstLogon, Description: "kinit", Order: 1,
	}}
	o.UserAccounts.AdministratorPassword = hidden(s.Password, "AdministratorPassword")
	return o
}

// hidden is the base64 of the UTF-16 of a password and the name of the setting.
func hidden(value secret.Value, setting string) password {
	var raw []byte
	for _, unit := range utf16.Encode([]rune(value.Reveal() + setting)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return password{Value: base64.StdEncoding.EncodeToString(raw)}
}
