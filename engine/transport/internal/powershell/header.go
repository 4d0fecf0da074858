package powershell

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"kinit/engine/shell"
)

// digits is how many say how long a script is.
const digits = 8

// longestScript is the most, in bytes, that a script may have. Its base64 stays far
// below what eight digits can say.
const longestScript = 32 << 20

// Header is what stands before a command's input: the script and its length.
func Header(script string) ([]byte, error) {
	switch {
	case len(script) > longestScript:
		return nil, fmt.Errorf("the script has %d bytes and at most %d can be passed: use the standard input or a file", len(script), longestScript)
	case !utf8.ValidString(script):
		return nil, errors.New("the script is not valid UTF-8")
	}
	text := base64.StdEncoding.EncodeToString([]byte(script))
	return fmt.Appendf(nil, "%0*d%s", digits, len(text), text), nil
}

// WithArguments puts values before a script, which finds them as $Arguments: an
// object with the names that JSON gives them. Nothing of them is part of the
// script's text.
func WithArguments(script string, arguments any) (string, error) {
	text, err := json.Marshal(arguments)
	if err != nil {
		return "", err
	}
	return "$Arguments = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('" +
		base64.StdEncoding.EncodeToString(text) + "')) | ConvertFrom-Json\n" + script, nil
}

// codeFenced is the exit code of a script whose fence is missing. No other program uses it:
// exit codes have 32 bits on Windows.
const codeFenced = 0x4B465A31

// Fenced is a script that runs only if a file is there.
func Fenced(script, fence string) string {
	if fence == "" {
		return script
	}
	return fmt.Sprintf("if (-not [IO.File]::Exists(%s)) { exit %d }\n%s", shell.PowerShell(fence), codeFenced, shell.PowerShellBlock(script))
}

// IsFenced reports whether a script has ended because its fence is not there.
func IsFenced(code int, fence string) bool { return code == codeFenced && fence != "" }
