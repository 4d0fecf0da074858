package dotnet

import (
	"io"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const (
	modeOpen    = interp.Open
	modeCreate  = interp.Create
	accessRead  = interp.Read
	accessWrite = interp.Write
)

func fileTypes() []interp.Type {
	return append([]interp.Type{
		{Name: "System.IO.File", Aliases: []string{"io.file"}, Statics: fileStatics()},
		{Name: "System.IO.FileStream", Aliases: []string{"io.filestream"}, New: static("FileStream", 2, 4, openStatic)},
		{Name: "System.IO.FileMode", Enum: &value.EnumType{
			Name: "System.IO.FileMode", Values: numbered("System.IO.FileMode", "CreateNew", "Create", "Open", "OpenOrCreate", "Truncate", "Append"),
		}},
		{Name: "System.IO.FileAccess", Enum: &value.EnumType{
			Name: "System.IO.FileAccess", Flags: true, Values: numbered("System.IO.FileAccess", "Read", "Write", "ReadWrite"),
		}},
		{Name: "System.IO.FileShare", Enum: enum("System.IO.FileShare", "None", "Read", "Write", "ReadWrite", "Delete")},
		{Name: "System.IO.FileAttributes", Enum: &value.EnumType{Name: "System.IO.FileAttributes", Flags: true, Values: attributes()}},
	}, folderTypes()...)
}

// numbered are the words of an enumeration that counts from 1.
func numbered(typeName string, names ...string) []value.Enum {
	var all []value.Enum
	for i, name := range names {
		all = append(all, value.NewEnum(typeName, name, int64(i+1)))
	}
	return all
}

// attributes are those of System.IO.FileAttributes that have a use here.
func attributes() []value.Enum {
	var all []value.Enum
	for _, each := range []struct {
		name string
		n    int64
	}{
		{"ReadOnly", 1}, {"Hidden", 2}, {"System", 4}, {"Directory", 16}, {"Archive", 32}, {"Normal", 128},
		{"Temporary", 256}, {"ReparsePoint", 1024}, {"Compressed", 2048}, {"NotContentIndexed", 8192},
	} {
		all = append(all, value.NewEnum("System.IO.FileAttributes", each.name, each.n))
	}
	return all
}

func fileStatics() statics {
	return statics{
		"Exists":        static("Exists", 1, 1, func(c call) (any, error) { return is(c, false), nil }),
		"ReadAllText":   static("ReadAllText", 1, 2, readAllText),
		"ReadAllBytes":  static("ReadAllBytes", 1, 1, func(c call) (any, error) { return readAllBytes(c) }),
		"ReadAllLines":  static("ReadAllLines", 1, 2, readAllLines),
		"WriteAllText":  static("WriteAllText", 2, 3, writeAllText),
		"WriteAllBytes": static("WriteAllBytes", 2, 2, func(c call) (any, error) { return void(writeFile(c, modeCreate, c.bytes(1).Data)) }),
		"AppendAllText": static("AppendAllText", 2, 3, appendAllText),
		"Open":          static("Open", 2, 4, openStatic),
		"Create":        static("Create", 1, 1, func(c call) (any, error) { return fileStream(c, modeCreate, interp.ReadWrite) }),
		"Delete":        static("Delete", 1, 1, deleteFile),
		"Move":          static("Move", 2, 2, moveFile),
		"Copy":          static("Copy", 2, 3, copyFile),
		"Replace":       static("Replace", 3, 4, replaceFile),
		"GetAttributes": static("GetAttributes", 1, 1, getAttributes),
	}
}

func files(c call) interp.FileSystem { return c.s.Host().Files() }

// path is an argument as an absolute path. .NET resolves it against the folder of the
// process, which Set-Location does not change.
func path(c call, i int) string { return c.s.ProcessPath(c.str(i)) }

// stat is what is known of the file that the first argument names.
func stat(c call) (interp.FileInfo, error) {
	info, err := files(c).Stat(path(c, 0))
	return info, exception(err, path(c, 0))
}

// is reports whether the first argument names a file, or a folder.
func is(c call, folder bool) bool {
	if c.str(0) == "" {
		return false
	}
	info, err := files(c).Stat(path(c, 0))
	return err == nil && info.Folder == folder
}

func checkPath(c call, i int) error {
	switch {
	case value.IsNull(c.args[i]):
		return value.NewException("System.ArgumentNullException", "Value cannot be null.\r\nParameter name: path")
	case c.str(i) == "":
		return value.NewException("System.ArgumentException", "Empty path name is not legal.")
	case strings.ContainsAny(c.str(i), "\"<>|\x00"):
		return value.NewException("System.ArgumentException", "Illegal characters in path.")
	}
	return nil
}

// openFile opens a file as a stream.
func openFile(c call, name string, mode interp.OpenMode, access interp.Access) (*stream, error) {
	if err := checkPath(c, 0); err != nil {
		return nil, err
	}
	full := c.s.ProcessPath(name)
	f, err := files(c).Open(full, mode, access)
	if err != nil {
		return nil, exception(err, full)
	}
	s := &stream{seek: f, resize: f.Truncate, close: f.Close}
	if access&interp.Read != 0 {
		s.read = f
	}
	if access&interp.Write != 0 {
		s.write = f
	}
	return s, nil
}

func fileStream(c call, mode interp.OpenMode, access interp.Access) (any, error) {
	s, err := openFile(c, c.str(0), mode, access)
	if err != nil {
		return nil, err
	}
	o := streamObject("System.IO.FileStream", s)
	o.Add(value.P("Name", path(c, 0)))
	return o, nil
}

// openStatic is File.Open and the constructor of FileStream: a path, a mode, and
// perhaps an access and a sharing.
func openStatic(c call) (any, error) {
	mode, err := c.s.Convert(c.ctx, c.args[1], "System.IO.FileMode")
	if err != nil {
		return nil, err
	}
	access := interp.ReadWrite
	if m := interp.OpenMode(mode.(value.Enum).Number); m == interp.Append {
		access = interp.Write
	}
	if len(c.args) > 2 {
		given, err := c.s.Convert(c.ctx, c.args[2], "System.IO.FileAccess")
		if err != nil {
			return nil, err
		}
		access = interp.Access(given.(value.Enum).Number)
	}
	return fileStream(c, interp.OpenMode(mode.(value.Enum).Number), access)
}

func readAllBytes(c call) (*value.Bytes, error) {
	s, err := openFile(c, c.str(0), modeOpen, accessRead)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(s.read)
	if ended := s.end(); err == nil {
		err = ended
	}
	return &value.Bytes{Data: b}, exception(err, path(c, 0))
}

// readAllText finds the encoding by the mark at the beginning; without one it is that of
// the second argument, or UTF-8.
func readAllText(c call) (any, error) {
	b, err := readAllBytes(c)
	if err != nil {
		return nil, err
	}
	own, err := encodingAt(c, 1)
	if err != nil {
		return nil, err
	}
	return decodeFile(b.Data, own)
}

func decodeFile(b []byte, own *codec) (string, error) {
	switch {
	case strings.HasPrefix(string(b), "\xEF\xBB\xBF"):
		return utf8Plain().decode(b[3:])
	case strings.HasPrefix(string(b), "\xFF\xFE"), strings.HasPrefix(string(b), "\xFE\xFF"):
		return marked(b).decode(b[2:])
	}
	return own.decode(b)
}

func readAllLines(c call) (any, error) {
	text, err := readAllText(c)
	if err != nil {
		return nil, err
	}
	all := text.(string)
	if all == "" {
		return value.NewStrings(), nil
	}
	all = strings.ReplaceAll(all, "\r\n", "\n")
	return value.NewStrings(strings.Split(strings.TrimSuffix(all, "\n"), "\n")...), nil
}

// writeFile writes the whole of a file.
func writeFile(c call, mode interp.OpenMode, b []byte) error {
	if *c.bad != nil {
		return nil
	}
	s, err := openFile(c, c.str(0), mode, accessWrite)
	if err != nil {
		return err
	}
	_, err = s.write.Write(b)
	if ended := s.end(); err == nil {
		err = ended
	}
	return exception(err, path(c, 0))
}

// encodingAt is an argument as an encoding: UTF-8 without a mark where it is not there.
func encodingAt(c call, i int) (*codec, error) {
	if len(c.args) <= i {
		return utf8Plain(), nil
	}
	return codecOf(c.args[i])
}

func writeAllText(c call) (any, error) {
	own, err := encodingAt(c, 2)
	if err != nil {
		return nil, err
	}
	return void(writeFile(c, modeCreate, append(append([]byte{}, own.preamble...), own.encode(c.str(1))...)))
}

// appendAllText adds to a file; the mark comes first in a new one.
func appendAllText(c call) (any, error) {
	own, err := encodingAt(c, 2)
	if err != nil {
		return nil, err
	}
	b := own.encode(c.str(1))
	if info, err := files(c).Stat(path(c, 0)); err != nil || info.Size == 0 {
		b = append(append([]byte{}, own.preamble...), b...)
	}
	return void(writeFile(c, interp.Append, b))
}

// deleteFile deletes a file; that it is not there is no error, but its folder must be.
func deleteFile(c call) (any, error) {
	if err := checkPath(c, 0); err != nil {
		return nil, err
	}
	info, err := files(c).Stat(path(c, 0))
	if err == nil && info.Folder {
		return nil, exception(&interp.WinError{Code: interp.AccessDenied}, path(c, 0))
	}
	if err == nil {
		err = files(c).Remove(path(c, 0))
	}
	if winCode(err) == interp.FileNotFound {
		err = nil
	}
	return void(exception(err, path(c, 0)))
}

func winCode(err error) uint16 {
	if w, ok := err.(*interp.WinError); ok {
		return w.Code
	}
	return 0
}

func moveFolder(c call) (any, error) {
	if strings.EqualFold(path(c, 0), path(c, 1)) {
		return nil, value.NewException("System.IO.IOException", "Source and destination path must be different.")
	}
	return moveFile(c)
}

func moveFile(c call) (any, error) {
	for i := range c.args {
		if err := checkPath(c, i); err != nil {
			return nil, err
		}
	}
	if _, err := stat(c); err != nil {
		return nil, err
	}
	err := files(c).Move(path(c, 0), path(c, 1), false)
	if code := winCode(err); code == interp.AlreadyExists || code == interp.FileExists {
		e := value.NewException("System.IO.IOException", "Cannot create a file when that file already exists.\r\n")
		e.HResult = value.Win32HResult(interp.AlreadyExists)
		return nil, e
	}
	return void(exception(err, path(c, 1)))
}

func copyFile(c call) (any, error) {
	b, err := readAllBytes(c)
	if err != nil {
		return nil, err
	}
	mode := interp.CreateNew
	if len(c.args) == 3 && c.truth(2) {
		mode = interp.Create
	}
	c.args = c.args[1:]
	return void(writeFile(c, mode, b.Data))
}

// replaceFile is File.Replace without a backup: both files must be there. PowerShell
// makes an empty text of $null, which is no path; none is [NullString]::Value.
func replaceFile(c call) (any, error) {
	switch none, _ := c.args[2].(*value.Object); {
	case value.IsNull(c.args[2]):
		return nil, value.NewException("System.ArgumentException", "The path is not of a legal form.")
	case none == nil || none.Type != nullString:
		return nil, unknown.New("[IO.File]::Replace with a backup")
	}
	for i := range 2 {
		if _, err := files(c).Stat(path(c, i)); err != nil {
			return nil, exception(&interp.WinError{Code: interp.FileNotFound}, path(c, i))
		}
	}
	return void(exception(files(c).Move(path(c, 0), path(c, 1), true), path(c, 1)))
}

func getAttributes(c call) (any, error) {
	info, err := stat(c)
	if err != nil {
		return nil, err
	}
	return c.s.Convert(c.ctx, int64(info.Attributes), "System.IO.FileAttributes")
}
