// Package powershell runs the subset of Windows PowerShell 5.1 that kinit's scripts use,
// on a Host that is a model of a Windows machine. What it does not know is an
// UnknownError of the run: a simulator that guesses would prove nothing.
//
// New makes an interpreter with the core cmdlets and .NET types. A model of a machine
// registers its own with Interpreter.Register and RegisterType, and runs what clients
// send with Interpreter.Run, whose Job a Line makes of a command line.
package powershell

import (
	"kinit/test/winsim/powershell/core"
	"kinit/test/winsim/powershell/dotnet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
)

// The interpreter and what it needs; package interp documents them.
type (
	Interpreter  = interp.Interpreter
	Session      = interp.Session
	Job          = interp.Job
	Host         = interp.Host
	Process      = interp.Process
	Running      = interp.Running
	Clock        = interp.Clock
	Environment  = interp.Environment
	Variables    = interp.Variables
	FileSystem   = interp.FileSystem
	File         = interp.File
	FileInfo     = interp.FileInfo
	WinError     = interp.WinError
	Cmdlet       = interp.Cmdlet
	Parameter    = interp.Parameter
	Call         = interp.Call
	Type         = interp.Type
	UnknownError = unknown.Error
)

// New is an interpreter on a host, with the core cmdlets and types.
func New(host Host) *Interpreter {
	i := interp.New(host)
	i.RegisterType(dotnet.Types()...)
	i.Register(core.Cmdlets()...)
	return i
}
