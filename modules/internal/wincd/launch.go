package wincd

import (
	"kinit/engine/secret"
	"kinit/modules/internal/unattend"
)

// letters are those that a CD may have in Windows PE and in the system.
const letters = "CDEFGHI"

// driverPaths are the folders of the drivers that Setup needs, on every drive: the two
// kinds of virtio disk and the network card.
func driverPaths(edition string) []string {
	var paths []string
	for _, driver := range []string{"viostor", "vioscsi", "NetKVM"} {
		for _, letter := range letters {
			paths = append(paths, string(letter)+`:\`+driver+`\`+edition+`\amd64`)
		}
	}
	return paths
}

// launch is a command line that finds a script on the drives and runs it. Its code is
// the script's, or 0 where no drive has it. It has to fit into 259 characters.
func launch(script string) string {
	return `powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "(Get-PSDrive -PSProvider FileSystem).Root` +
		` | ForEach-Object { $_ + '` + script + `' } | Where-Object { Test-Path $_ } | Select-Object -First 1` +
		` | ForEach-Object { & $_ }; exit $LASTEXITCODE"`
}

// system is the part of an answer file that starts a script at the first login.
func system(l Language, password secret.Value, script string) unattend.System {
	return unattend.System{Locale: l.Locale, TimeZone: l.TimeZone, Password: password, FirstLogon: launch(script)}
}
