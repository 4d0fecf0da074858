// Package interp runs scripts: it walks the tree of the parser over the values of
// package value. Cmdlets and .NET types are registered; the machine around it, with
// files, programs and a clock, is a Host.
package interp

import (
	"context"
	"errors"
	"io"
	"time"
)

// Host is the machine that scripts run on.
type Host interface {
	Files() FileSystem
	Environment() Environment
	Clock() Clock
	// Find returns the full path of a program or script by its name as a command
	// line has it, looking where Windows looks. ErrAbsent says that the machine has
	// no such program; any other error ends the run, such as an *unknown.Error
	// where it cannot be told what a real machine has.
	Find(name, dir string, env Variables) (string, error)
	// Start starts a program. The context ends when the run is terminated.
	Start(ctx context.Context, p Process) (Running, error)
}

// ErrAbsent says that there is no such program or variable.
var ErrAbsent = errors.New("there is none")

// Process is how a program is started.
type Process struct {
	Path   string
	Args   []string // as the program's runtime splits the line, without the program
	Line   string   // the raw arguments of the command line
	Dir    string
	Env    Variables
	Stdin  io.Reader // nil for none
	Stdout io.Writer
	Stderr io.Writer
}

// Running is a program that was started.
type Running interface {
	ID() int
	// Wait waits for the program's end and returns its exit code.
	Wait(ctx context.Context) (uint32, error)
	Kill() error
}

// Clock is the time of the machine. Its zone is that of the times it tells.
type Clock interface {
	Now() time.Time
	// Sleep waits, or returns early with the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Environment has the variables that outlive a process. Target is "Machine" or "User".
type Environment interface {
	Get(target, name string) (string, bool)
	Set(target, name, value string) error // an empty value removes
	All(target string) map[string]string
}

// FileSystem has the files of the machine. Paths are absolute, as C:\folder\file.
// Errors of Windows are *WinError.
type FileSystem interface {
	Stat(path string) (FileInfo, error)
	List(folder string) ([]FileInfo, error)
	// Open opens a file by the rules of CreateFile.
	Open(path string, mode OpenMode, access Access) (File, error)
	// Mkdir makes a folder and those above it; sddl is its security descriptor or empty.
	Mkdir(path, sddl string) error
	// Remove removes a file, or a folder that is empty.
	Remove(path string) error
	// Move renames a file or folder; the target must not exist unless replace is set.
	Move(from, to string, replace bool) error
	SetAttributes(path string, attributes uint32) error
	SetWritten(path string, t time.Time) error
}

// OpenMode is the .NET FileMode, with its numbers.
type OpenMode int

// The modes of System.IO.FileMode.
const (
	CreateNew    OpenMode = 1
	Create       OpenMode = 2
	Open         OpenMode = 3
	OpenOrCreate OpenMode = 4
	Truncate     OpenMode = 5
	Append       OpenMode = 6
)

// Access is what a file is opened for.
type Access int

// The values of System.IO.FileAccess.
const (
	Read      Access = 1
	Write     Access = 2
	ReadWrite Access = 3
)

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	io.Seeker
	io.Closer
	Truncate(size int64) error
}

// FileInfo is what is known of a file or folder.
type FileInfo struct {
	Name       string // without its folder
	Path       string // as it is written on the disk
	Folder     bool
	Size       int64
	Attributes uint32 // FILE_ATTRIBUTE_*
	Created    time.Time
	Written    time.Time
	Accessed   time.Time
}

// WinError is an error code of Windows, such as 2 for a file that was not found.
type WinError struct {
	Code uint16
	Path string
}

// Codes of WinError, of winerror.h, that .NET has exceptions of their own for.
const (
	FileNotFound     = 2
	PathNotFound     = 3
	AccessDenied     = 5
	NotReady         = 21
	SharingViolation = 32
	FileExists       = 80
	InvalidParameter = 87
	DiskFull         = 112
	InvalidName      = 123
	DirNotEmpty      = 145
	AlreadyExists    = 183
)

func (e *WinError) Error() string {
	return "Windows error " + itoa(int(e.Code)) + ": " + e.Path
}
