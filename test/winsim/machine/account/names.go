package account

import "strings"

// names are what a language calls the accounts that every machine has.
type names struct {
	guest, defaultAccount, administrator string
	authority                            string // of the built-in groups
	groups                               []struct{ sid, name string }
}

func builtin(language string) names {
	n := names{
		guest: "Guest", defaultAccount: "DefaultAccount", authority: "BUILTIN",
		administrator: "Built-in account for administering the computer/domain",
	}
	groups := []struct{ sid, english, german string }{
		{AdministratorsSID, "Administrators", "Administratoren"},
		{"S-1-5-32-551", "Backup Operators", "Sicherungs-Operatoren"},
		{"S-1-5-32-562", "Distributed COM Users", "Distributed COM-Benutzer"},
		{"S-1-5-32-573", "Event Log Readers", "Ereignisprotokollleser"},
		{GuestsSID, "Guests", "Gäste"},
		{"S-1-5-32-578", "Hyper-V Administrators", "Hyper-V-Administratoren"},
		{"S-1-5-32-556", "Network Configuration Operators", "Netzwerkkonfigurations-Operatoren"},
		{"S-1-5-32-559", "Performance Log Users", "Leistungsprotokollbenutzer"},
		{"S-1-5-32-555", "Remote Desktop Users", "Remotedesktopbenutzer"},
		{"S-1-5-32-580", "Remote Management Users", "Remoteverwaltungsbenutzer"},
		{UsersSID, "Users", "Benutzer"},
	}
	german := strings.HasPrefix(language, "de")
	if german {
		n.guest, n.authority = "Gast", "VORDEFINIERT"
		n.administrator = "Vordefiniertes Konto für die Verwaltung des Computers bzw. der Domäne"
	}
	for _, g := range groups {
		name := g.english
		if german {
			name = g.german
		}
		n.groups = append(n.groups, struct{ sid, name string }{g.sid, name})
	}
	return n
}

// wellKnown are the identities that are neither users nor groups of the machine.
func wellKnown(language string) map[string]string {
	if strings.HasPrefix(language, "de") {
		return map[string]string{
			SystemSID: `NT-AUTORITÄT\SYSTEM`, LocalServiceSID: `NT-AUTORITÄT\Lokaler Dienst`,
			NetworkServiceSID: `NT-AUTORITÄT\Netzwerkdienst`, EveryoneSID: "Jeder",
			AuthenticatedUsersSID: `NT-AUTORITÄT\Authentifizierte Benutzer`, trustedInstaller: `NT SERVICE\TrustedInstaller`,
			"S-1-3-0": "ERSTELLER-BESITZER",
		}
	}
	return map[string]string{
		SystemSID: `NT AUTHORITY\SYSTEM`, LocalServiceSID: `NT AUTHORITY\LOCAL SERVICE`,
		NetworkServiceSID: `NT AUTHORITY\NETWORK SERVICE`, EveryoneSID: "Everyone",
		AuthenticatedUsersSID: `NT AUTHORITY\Authenticated Users`, trustedInstaller: `NT SERVICE\TrustedInstaller`,
		"S-1-3-0": "CREATOR OWNER",
	}
}

// trustedInstaller owns the system's own files.
const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
