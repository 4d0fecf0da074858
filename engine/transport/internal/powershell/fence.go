package powershell

import (
	"fmt"

	"kinit/engine/shell"
)

// codeFenced is the exit code of a script whose fence is not there. Nobody else's has it:
// codes have 32 bits on Windows.
const codeFenced = 0x4B465A31

// Fenced is a script that runs only if a file is there.
func Fenced(script, fence string) string {
	if fence == "" {
		return script
	}
	return fmt.Sprintf("if (-not [IO.File]::Exists(%s)) { exit %d }\n%s", shell.PowerShell(fence), codeFenced, script)
}

// IsFenced reports whether a script has ended because its fence is not there.
func IsFenced(code int, fence string) bool { return code == codeFenced && fence != "" }
