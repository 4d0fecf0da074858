package dotnet

import (
	"cmp"
	"errors"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// exception is an error of the file system as the exception that .NET throws; other
// errors stay what they are.
func exception(err error, path string) error {
	var w *interp.WinError
	if !errors.As(err, &w) {
		return err
	}
	path = cmp.Or(path, w.Path)
	kind, message := describe(w.Code, path)
	e := value.NewException(kind, message)
	e.HResult = value.Win32HResult(w.Code)
	return e
}

// Exception is exception for types of other packages.
func Exception(err error, path string) error { return exception(err, path) }

// describe is the type and the message of .NET Framework for an error of Windows, as
// System.IO.__Error.WinIOError makes them.
func describe(code uint16, path string) (kind, message string) {
	quoted := "'" + path + "'"
	switch code {
	case interp.FileNotFound:
		return "System.IO.FileNotFoundException", "Could not find file " + quoted + "."
	case interp.PathNotFound:
		return "System.IO.DirectoryNotFoundException", "Could not find a part of the path " + quoted + "."
	case interp.AccessDenied:
		return "System.UnauthorizedAccessException", "Access to the path " + quoted + " is denied."
	case interp.SharingViolation:
		return "System.IO.IOException", "The process cannot access the file " + quoted + " because it is being used by another process."
	case interp.FileExists:
		return "System.IO.IOException", "The file " + quoted + " already exists."
	case interp.AlreadyExists:
		return "System.IO.IOException", "Cannot create " + quoted + " because a file or directory with the same name already exists."
	case interp.DiskFull:
		return "System.IO.IOException", "There is not enough space on the disk.\r\n"
	case interp.DirNotEmpty:
		return "System.IO.IOException", "The directory is not empty.\r\n"
	case interp.InvalidName:
		return "System.IO.IOException", "The filename, directory name, or volume label syntax is incorrect.\r\n"
	case interp.NotReady:
		return "System.IO.IOException", "The device is not ready.\r\n"
	}
	return "System.IO.IOException", "Unknown error (0x" + strings.ToLower(hexText(uint32(code))) + ")."
}

func hexText(n uint32) string {
	text, _ := value.FormatOne(n, "x")
	return text
}
