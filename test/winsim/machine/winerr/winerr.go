// Package winerr is the error codes of Windows that the simulated machine gives, and
// their texts in the languages it speaks.
//
// The codes are those of "System Error Codes" in Microsoft's documentation of Win32.
package winerr

import (
	"fmt"
	"strings"
)

// Code is an error code of Win32.
type Code uint32

// The codes that the machine uses.
const (
	FileNotFound         Code = 2
	PathNotFound         Code = 3
	AccessDenied         Code = 5
	WriteProtect         Code = 19
	NotReady             Code = 21
	SharingViolation     Code = 32
	FileExists           Code = 80
	InvalidParameter     Code = 87
	DiskFull             Code = 112
	InvalidName          Code = 123
	DirNotEmpty          Code = 145
	AlreadyExists        Code = 183
	BadExeFormat         Code = 193
	FilenameTooLong      Code = 206
	DirectoryInvalid     Code = 267
	CantAccessFile       Code = 1920
	DependentsRunning    Code = 1051
	ServiceTimeout       Code = 1053
	ServiceRunning       Code = 1056
	ServiceAccount       Code = 1057
	ServiceDisabled      Code = 1058
	CircularDependency   Code = 1059
	ServiceMissing       Code = 1060
	ServiceCannotAccept  Code = 1061
	ServiceNotActive     Code = 1062
	ProcessAborted       Code = 1067
	DependencyFail       Code = 1068
	LogonFailed          Code = 1069
	MarkedForDelete      Code = 1072
	ServiceExists        Code = 1073
	DependencyMissing    Code = 1075
	ShutdownInProgress   Code = 1115
	ShutdownIsScheduled  Code = 1190
	NoShutdownScheduled  Code = 1116
	ElementNotFound      Code = 1168
	InstallFailure       Code = 1603
	UnknownProduct       Code = 1605
	InstallRunning       Code = 1618
	PackageOpenFailed    Code = 1619
	PackageInvalid       Code = 1620
	InvalidCommandLine   Code = 1639
	SuccessRebootStarted Code = 1641
	SuccessRebootNeeded  Code = 3010
	ObjectExists         Code = 5010
)

// HResult is the code as an HRESULT of the facility Win32.
func (c Code) HResult() uint32 {
	if c == 0 {
		return 0
	}
	return 0x80070000 | uint32(c)&0xffff
}

// Error says the English text and the code, for logs of the simulator.
func (c Code) Error() string { return fmt.Sprintf("%s (%d)", c.Text("en-US"), uint32(c)) }

// Text is the message of the code in a language, without a line end. A code without
// a text is shown as Windows shows one, by its number.
func (c Code) Text(language string) string {
	messages, ok := texts()[c]
	switch {
	case !ok:
		return fmt.Sprintf("Unknown error (0x%x)", uint32(c))
	case strings.HasPrefix(language, "de"):
		return messages.german
	default:
		return messages.english
	}
}

// Error is a code with what it happened to.
type Error struct {
	Code Code
	Op   string // what was tried: open, delete, start …
	Name string // the path, service or key
}

// Error says what was tried in English, for logs of the simulator.
func (e *Error) Error() string { return e.Op + " " + e.Name + ": " + e.Code.Error() }

// Is lets errors.Is compare with a Code.
func (e *Error) Is(target error) bool {
	code, ok := target.(Code)
	return ok && e.Code == code
}

// Of returns an error.
func Of(code Code, op, name string) error { return &Error{Code: code, Op: op, Name: name} }
