package host

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"kinit/engine/module"
	"kinit/engine/shell"
)

// Exit codes of a command on Windows whose folder is missing, or whose program could not be
// started, as in a POSIX shell.
const (
	codeNoFolder  = 126
	codeNoProgram = 127
)

// windowsLine makes the script for a Windows machine: it sets the environment and the
// folder, and then runs the command's script or starts the program.
func windowsLine(c module.Command) (string, error) {
	if (c.PowerShell == "") == (len(c.Argv) == 0) {
		return "", errors.New("a command on Windows needs either a program or a script")
	}
	// Windows uses UTF-16 without zero characters.
	for _, text := range slices.Concat(c.Argv, slices.Collect(maps.Values(c.Env)), []string{c.Dir}) {
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return "", fmt.Errorf("%.100q cannot be passed to a program on Windows: it is not valid UTF-8, or has a zero byte", text)
		}
	}
	lines, err := surroundings(c)
	if err != nil {
		return "", err
	}
	if c.PowerShell != "" && len(lines) == 0 {
		return c.PowerShell, nil
	}
	if c.PowerShell != "" {
		return strings.Join(append(lines, shell.PowerShellBlock(c.PowerShell)), "\n"), nil
	}
	if err := checkProgram(c.Argv[0]); err != nil {
		return "", err
	}
	return strings.Join(append(lines, startProgram(c.Argv)), "\n"), nil
}

// surroundings returns the lines that set the environment and the working folder. On
// Windows an empty variable does not exist.
func surroundings(c module.Command) ([]string, error) {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		if !isVariable(name) {
			return nil, fmt.Errorf("%q is no name of an environment variable", name)
		}
		lines = append(lines, "[Environment]::SetEnvironmentVariable("+shell.PowerShell(name)+", "+shell.PowerShell(c.Env[name])+")")
	}
	if c.Dir == "" {
		return lines, nil
	}
	if len(c.Dir) < 3 || c.Dir[1] != ':' || !path.IsAbs(strings.ReplaceAll(c.Dir[2:], `\`, "/")) {
		return nil, fmt.Errorf("the working directory %q must be absolute, such as C:/folder", c.Dir)
	}
	dir := shell.PowerShell(c.Dir)
	return append(lines, // programs start in the process's folder, which is not PowerShell's
		"try { Set-Location -LiteralPath "+dir+"; [Environment]::CurrentDirectory = "+dir+" } "+
			failing(codeNoFolder)), nil
}

// failing prints the message of the exception and ends the script with a code.
func failing(code int) string {
	return fmt.Sprintf("catch { [Console]::Error.WriteLine($_.Exception.Message); exit %d }", code)
}

// checkProgram returns an error for programs that would get changed arguments: cmd.exe,
// which runs batch files, splits its command line differently.
func checkProgram(name string) error {
	lower := strings.ToLower(strings.TrimRight(name, ". "))
	switch {
	case name == "":
		return errors.New("a command needs a program")
	case strings.ContainsAny(name, "\"\r\n"):
		return fmt.Errorf("%q is no program", name)
	case strings.HasSuffix(lower, ".bat"), strings.HasSuffix(lower, ".cmd"):
		return fmt.Errorf("%s is a batch file, to which arguments cannot be passed safely: use a script of PowerShell, or cmd.exe /c with a command line of its own", name)
	}
	return nil
}

// startProgram starts a program with exactly these arguments. It inherits the standard
// input and both outputs, and its exit code is the script's.
func startProgram(argv []string) string {
	return strings.Join([]string{
		"$start = New-Object System.Diagnostics.ProcessStartInfo",
		"$start.FileName = " + shell.PowerShell(argv[0]),
		"$start.Arguments = " + shell.PowerShell(shell.Windows(argv[1:]...)),
		"$start.UseShellExecute = $false",
		"try { $process = [System.Diagnostics.Process]::Start($start) } " + failing(codeNoProgram),
		"$process.WaitForExit()",
		"$global:LASTEXITCODE = $process.ExitCode",
	}, "\n")
}

// isVariable reports whether sh accepts the name as a variable's.
func isVariable(name string) bool { return variableName.MatchString(name) }

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
