package sshd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"sync"
	"time"

	"github.com/pkg/sftp"
)

// sftp is what serves files, or nil when there are none.
func (c *session) sftp() func() {
	files := c.server.options.Files
	if files == nil {
		return nil
	}
	return func() {
		defer c.channel.Close()
		h := handler{files: files, home: "/" + c.server.options.Home(c.user)}
		server := sftp.NewRequestServer(c.channel, sftp.Handlers{FileGet: h, FilePut: h, FileCmd: h, FileList: h}, sftp.WithStartDirectory(h.home))
		_ = server.Serve() // the client sees why it ends
	}
}

// handler serves requests of SFTP from a file system.
type handler struct {
	files FS
	home  string // where relative paths begin, as SFTP has it
}

var (
	_ sftp.OpenFileWriter       = handler{}
	_ sftp.PosixRenameFileCmder = handler{}
	_ sftp.LstatFileLister      = handler{}
	_ sftp.ReadlinkFileLister   = handler{}
	_ sftp.RealPathFileLister   = handler{}
)

// windows is the machine's path for one of SFTP: /C:/Users is C:/Users. A path with a
// drive in its middle is what a client's C:/Users became when it was taken for a
// relative one. The root is empty.
func windows(name string) string {
	match := regexp.MustCompile(`^/(?:.*/)?([A-Za-z]:)(?:/(.*))?$`).FindStringSubmatch(path.Clean("/" + name))
	if match == nil {
		return ""
	}
	return match[1] + "/" + match[2]
}

// RealPath is an absolute path as SFTP has it.
func (h handler) RealPath(name string) (string, error) {
	if !path.IsAbs(name) {
		name = path.Join(h.home, name)
	}
	inside := windows(name)
	if inside == "" {
		return "/", nil
	}
	return path.Clean("/" + inside), nil
}

// Fileread opens a file to read.
func (h handler) Fileread(r *sftp.Request) (io.ReaderAt, error) { return h.open(r, os.O_RDONLY) }

// Filewrite opens a file to write.
func (h handler) Filewrite(r *sftp.Request) (io.WriterAt, error) { return h.open(r, os.O_WRONLY) }

// OpenFile opens a file for both.
func (h handler) OpenFile(r *sftp.Request) (sftp.WriterAtReaderAt, error) {
	return h.open(r, os.O_RDWR)
}

func (h handler) open(r *sftp.Request, flags int) (*random, error) {
	asked := r.Pflags()
	for _, f := range []struct {
		set  bool
		flag int
	}{{asked.Creat, os.O_CREATE}, {asked.Trunc, os.O_TRUNC}, {asked.Excl, os.O_EXCL}} {
		if f.set {
			flags |= f.flag
		}
	}
	if windows(r.Filepath) == "" {
		return nil, sftp.ErrSSHFxFailure
	}
	file, err := h.files.Open(windows(r.Filepath), flags)
	if err != nil {
		return nil, status(err)
	}
	return &random{file: file}, nil
}

// Filecmd changes something.
func (h handler) Filecmd(r *sftp.Request) error {
	at := windows(r.Filepath)
	if at == "" {
		return sftp.ErrSSHFxPermissionDenied
	}
	switch r.Method {
	case "Mkdir":
		return status(h.files.Mkdir(at))
	case "Remove", "Rmdir":
		return status(h.remove(at, r.Method == "Rmdir"))
	case "Rename":
		return status(h.files.Rename(at, windows(r.Target), false))
	case "Setstat":
		return status(h.set(at, r))
	}
	return sftp.ErrSSHFxOpUnsupported
}

// PosixRename moves a file in the place of another.
func (h handler) PosixRename(r *sftp.Request) error {
	return status(h.files.Rename(windows(r.Filepath), windows(r.Target), true))
}

func (h handler) remove(at string, folder bool) error {
	info, err := h.files.Stat(at)
	if err != nil {
		return err
	}
	if info.IsDir() != folder {
		return sftp.ErrSSHFxFailure
	}
	return h.files.Remove(at)
}

// set sets size and time. Windows has neither mode nor owner; they are ignored.
func (h handler) set(at string, r *sftp.Request) error {
	flags := r.AttrFlags()
	if flags.Size {
		if err := h.files.SetSize(at, int64(r.Attributes().Size)); err != nil {
			return err
		}
	}
	if flags.Acmodtime {
		return h.files.SetTime(at, time.Unix(int64(r.Attributes().Mtime), 0))
	}
	_, err := h.files.Stat(at)
	return err
}

// Filelist describes one file, or those in a folder.
func (h handler) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	at := windows(r.Filepath)
	if at == "" {
		return h.root(r.Method), nil
	}
	switch r.Method {
	case "List":
		infos, err := h.files.List(at)
		return list(infos), status(err)
	case "Stat":
		info, err := h.files.Stat(at)
		return list{info}, status(err)
	}
	return nil, sftp.ErrSSHFxOpUnsupported
}

// Lstat describes a file, or a link itself.
func (h handler) Lstat(r *sftp.Request) (sftp.ListerAt, error) {
	at := windows(r.Filepath)
	if at == "" {
		return h.root("Stat"), nil
	}
	info, err := h.files.Lstat(at)
	return list{info}, status(err)
}

// Readlink is what a link leads to, with backslashes as Windows has it.
func (h handler) Readlink(name string) (string, error) {
	target, err := h.files.Readlink(windows(name))
	return target, status(err)
}

// root is the folder of the drives.
func (h handler) root(method string) list {
	if method != "List" {
		return list{drive("/")}
	}
	var drives list
	for _, name := range h.files.Drives() {
		drives = append(drives, drive(name))
	}
	return drives
}

// drive is a folder that is the root of something.
type drive string

func (d drive) Name() string       { return string(d) }
func (d drive) Size() int64        { return 0 }
func (d drive) Mode() fs.FileMode  { return fs.ModeDir | 0o755 }
func (d drive) ModTime() time.Time { return time.Unix(0, 0) }
func (d drive) IsDir() bool        { return true }
func (d drive) Sys() any           { return nil }

// list are files that are described.
type list []fs.FileInfo

// ListAt copies those from a place on.
func (l list) ListAt(into []fs.FileInfo, offset int64) (int, error) {
	if offset >= int64(len(l)) {
		return 0, io.EOF
	}
	n := copy(into, l[offset:])
	if n < len(into) {
		return n, io.EOF
	}
	return n, nil
}

// random reads and writes an open file at any place.
type random struct {
	mu   sync.Mutex
	file File
}

// ReadAt reads as much as there is.
func (f *random) ReadAt(p []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.Seek(offset, io.SeekStart); err != nil {
		return 0, status(err)
	}
	n, err := io.ReadFull(f.file, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, status(err)
}

// WriteAt writes all.
func (f *random) WriteAt(p []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.file.Seek(offset, io.SeekStart); err != nil {
		return 0, status(err)
	}
	n, err := f.file.Write(p)
	return n, status(err)
}

// Close closes the file.
func (f *random) Close() error { return f.file.Close() }

// status is an error as SFTP has it. Its text, which names the machine's path, is
// kept where SFTP has no code for it.
func status(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sftp.ErrSSHFxNoSuchFile
	case errors.Is(err, fs.ErrPermission):
		return sftp.ErrSSHFxPermissionDenied
	}
	return err
}
