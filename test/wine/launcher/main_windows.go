// Command launcher is powershell.exe of the machine of test/wine: it starts PowerShell 7 with the
// arguments and streams that it has itself, on a console without a window, as the SSH server of
// Windows does, and ends with its exit code.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

const shell = `C:\Program Files\PowerShell\7\pwsh.exe`

// Variables by which a test starts a command.
const (
	lineVariable = "KINIT_LINE"      // a command line to start in place of PowerShell
	codeVariable = "KINIT_CODE_FILE" // where to write the exit code, of which a Unix process has 8 bits
)

// windows51 is what differs in Windows PowerShell 5.1 and can be set, and a search of Path, for which PowerShell finds no
// program under Wine. It is one line, so that scripts keep the numbers of their lines.
const windows51 = "$PSNativeCommandArgumentPassing = 'Legacy'; $PSDefaultParameterValues = @{ 'ConvertFrom-Json:DateKind' = 'String' }; " +
	"$ExecutionContext.InvokeCommand.CommandNotFoundAction = { param($missing, $search) " +
	`foreach ($folder in $env:Path -split ';') { foreach ($file in "$folder\$missing", "$folder\$missing.exe") { if ([IO.File]::Exists($file)) { ` +
	"$search.Command = Get-Command -Name $file -CommandType Application; $search.StopSearch = $true; return } } } }; "

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "launcher:", err)
		code = 126
	}
	windows.ExitProcess(code)
}

func run() (uint32, error) {
	line, file := os.Getenv(lineVariable), os.Getenv(codeVariable)
	for _, name := range []string{lineVariable, codeVariable} {
		if err := os.Unsetenv(name); err != nil {
			return 0, err
		}
	}
	if line == "" {
		line = windows.UTF16PtrToString(windows.GetCommandLine())
	}
	if arguments, ok := ofPowerShell(line); ok {
		line = `"` + shell + `" ` + withSettings(arguments)
	}
	code, err := start(line)
	if err != nil || file == "" {
		return code, err
	}
	return code, os.WriteFile(file, fmt.Append(nil, code), 0o600)
}

// ofPowerShell returns the arguments of a command line of powershell.exe.
func ofPowerShell(line string) (arguments string, ok bool) {
	program, arguments, _ := strings.Cut(line, " ")
	if rest, quoted := strings.CutPrefix(line, `"`); quoted {
		program, arguments, _ = strings.Cut(rest, `"`)
	}
	name := strings.ToLower(program[strings.LastIndexAny(program, `\/`)+1:])
	return arguments, strings.TrimSuffix(name, ".exe") == "powershell"
}

var encoded = regexp.MustCompile(`(?i)(-EncodedCommand +)([A-Za-z0-9+/=]+)`)

// withSettings puts the settings of 5.1 before an encoded command.
func withSettings(arguments string) string {
	found := encoded.FindStringSubmatchIndex(arguments)
	if found == nil {
		return arguments
	}
	raw, err := base64.StdEncoding.DecodeString(arguments[found[4]:found[5]])
	if err != nil {
		return arguments // PowerShell refuses it too
	}
	var script []byte
	for _, unit := range utf16.Encode([]rune(windows51)) {
		script = binary.LittleEndian.AppendUint16(script, unit)
	}
	return arguments[:found[4]] + base64.StdEncoding.EncodeToString(append(script, raw...)) + arguments[found[5]:]
}

// start starts a command line and waits for its end. If this process is killed, it is killed too; what it has
// started itself goes on.
func start(line string) (uint32, error) {
	console, err := newConsole()
	if err != nil {
		return 0, fmt.Errorf("make a console: %w", err)
	}
	defer windows.ClosePseudoConsole(console)
	attributes, err := windows.NewProcThreadAttributeList(1)
	if err != nil {
		return 0, err
	}
	defer attributes.Delete()
	// The attribute's value is the handle itself, and not where it is.
	if err := attributes.Update(windows.PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, *(*unsafe.Pointer)(unsafe.Pointer(&console)), unsafe.Sizeof(console)); err != nil {
		return 0, err
	}
	job, err := newJob()
	if err != nil {
		return 0, fmt.Errorf("make a job: %w", err)
	}
	info := windows.StartupInfoEx{ProcThreadAttributeList: attributes.List()}
	info.Cb = uint32(unsafe.Sizeof(info))
	info.Flags = windows.STARTF_USESTDHANDLES
	for id, to := range map[uint32]*windows.Handle{
		windows.STD_INPUT_HANDLE: &info.StdInput, windows.STD_OUTPUT_HANDLE: &info.StdOutput, windows.STD_ERROR_HANDLE: &info.StdErr,
	} {
		if *to, err = windows.GetStdHandle(id); err != nil {
			return 0, err
		}
		if err := windows.SetHandleInformation(*to, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
			return 0, err
		}
	}
	text, err := windows.UTF16PtrFromString(line)
	if err != nil {
		return 0, err
	}
	var process windows.ProcessInformation
	if err := windows.CreateProcess(nil, text, nil, nil, true, windows.EXTENDED_STARTUPINFO_PRESENT|windows.CREATE_SUSPENDED, nil, nil, &info.StartupInfo, &process); err != nil {
		return 0, fmt.Errorf("start %.100s: %w", line, err)
	}
	if err := windows.AssignProcessToJobObject(job, process.Process); err != nil {
		return 0, fmt.Errorf("put %.100s into a job: %w", line, err)
	}
	if _, err := windows.ResumeThread(process.Thread); err != nil {
		return 0, err
	}
	// The other side sees the end of these streams when the command closes them.
	for _, h := range []windows.Handle{info.StdInput, info.StdOutput} {
		_ = windows.CloseHandle(h)
	}
	if _, err := windows.WaitForSingleObject(process.Process, windows.INFINITE); err != nil {
		return 0, err
	}
	var code uint32
	return code, windows.GetExitCodeProcess(process.Process, &code)
}

// newConsole makes a console without a window, and drops what is drawn on it.
func newConsole() (windows.Handle, error) {
	var inRead, inWrite, outRead, outWrite, console windows.Handle
	if err := windows.CreatePipe(&inRead, &inWrite, nil, 0); err != nil {
		return 0, err
	}
	if err := windows.CreatePipe(&outRead, &outWrite, nil, 0); err != nil {
		return 0, err
	}
	if err := windows.CreatePseudoConsole(windows.Coord{X: 120, Y: 50}, inRead, outWrite, 0, &console); err != nil {
		return 0, err
	}
	go func() { // ends with this process
		buffer := make([]byte, 4096)
		for n := uint32(1); n > 0; {
			if windows.ReadFile(outRead, buffer, &n, nil) != nil {
				return
			}
		}
	}()
	return console, nil
}

// newJob makes a job whose processes end when this process does. Their children are not in it.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return job, err
}
