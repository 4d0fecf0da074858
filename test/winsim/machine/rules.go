package machine

import (
	"strings"

	"kinit/test/winsim/machine/firewall"
)

// builtinRules are the rules of a fresh server that matter to one that is managed from
// outside. Groups are shown in the machine's language; their names are resources.
func builtinRules(language string) []firewall.Rule {
	german := strings.HasPrefix(language, "de")
	group := func(english, text string) string {
		if german {
			return text
		}
		return english
	}
	remote := group("Windows Remote Management", "Windows-Remoteverwaltung")
	sharing := group("File and Printer Sharing", "Datei- und Druckerfreigabe")
	desktop := group("Remote Desktop", "Remotedesktop")
	inbound := func(name, display, resource, shown, protocol, port string, enabled bool, profiles ...string) firewall.Rule {
		r := firewall.Rule{
			Name: name, DisplayName: display, Group: resource, DisplayGroup: shown, Enabled: enabled, Profile: profiles,
			Direction: "Inbound", Action: "Allow", Protocol: protocol,
		}
		if port != "" {
			r.LocalPort = []string{port}
		}
		return r
	}
	http := group("Windows Remote Management (HTTP-In)", "Windows-Remoteverwaltung (HTTP eingehend)")
	public := inbound("WINRM-HTTP-In-TCP-PUBLIC", http, "@FirewallAPI.dll,-30267", remote, "TCP", "5985", true, "Public")
	public.RemoteAddress = []string{"LocalSubnet"}
	ping := inbound("FPS-ICMP4-ERQ-In", group("File and Printer Sharing (Echo Request - ICMPv4-In)", "Datei- und Druckerfreigabe (Echoanforderung - ICMPv4 eingehend)"),
		"@FirewallAPI.dll,-28502", sharing, "ICMPv4", "", false)
	ping.ICMPType = []string{"8"}
	return []firewall.Rule{
		inbound("WINRM-HTTP-In-TCP", http, "@FirewallAPI.dll,-30267", remote, "TCP", "5985", true, "Domain", "Private"),
		public,
		inbound("RemoteDesktop-UserMode-In-TCP", group("Remote Desktop - User Mode (TCP-In)", "Remotedesktop - Benutzermodus (TCP eingehend)"),
			"@FirewallAPI.dll,-28752", desktop, "TCP", "3389", false),
		inbound("FPS-SMB-In-TCP", group("File and Printer Sharing (SMB-In)", "Datei- und Druckerfreigabe (SMB eingehend)"),
			"@FirewallAPI.dll,-28502", sharing, "TCP", "445", false),
		ping,
	}
}
