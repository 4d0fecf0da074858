package module

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/secret"
)

// Host is one machine as a task sees it, over any transport.
type Host interface {
	// Name is the host's name in the inventory or the topology.
	Name() string
	// OS is the family of the host's operating system.
	OS() OS
	// Run runs a command and waits. A non-zero exit is an *ExitError; a lost
	// connection wraps transport.ErrUnreachable. When ctx ends, the remote
	// process group is killed.
	Run(ctx context.Context, c Command) (Output, error)
	// Files gives access to the host's files, without starting a process.
	Files() Files
	// Dial connects from the host to an address: network is "tcp" or "unix".
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Socket forwards a unix socket of the host and returns the path of a private
	// local socket that leads to it. It lasts as long as the connection.
	Socket(ctx context.Context, path string) (string, error)
	// Owner is the cluster that owns what is made here, or "" if nothing needs a mark.
	Owner() string
	// Instance is the id of the owner's instance on the hosts of the run. All marks carry
	// it beside the name, which distinguishes two owners with the same name. It is empty
	// without an owner.
	Instance() string
	// Own records a mark in the owner's manifest on the host, before the object is made, so
	// that clean-up finds it. Of an existing mark it changes only the checksums. Without an owner it does nothing.
	Own(ctx context.Context, m Mark) error
	// Disown removes a mark after the object is removed.
	Disown(ctx context.Context, m Mark) error
	// Marks lists the owner's marks on the host, in the order they were made.
	Marks(ctx context.Context) ([]Mark, error)
	// Report shows the progress of a long task.
	Report(p event.Progress)
	// Redact masks the secrets the run knows.
	Redact(text string) string
	// AddSecret adds values that the run masks from now on.
	AddSecret(values ...secret.Value)
}

// OS is a family of operating systems: it decides the host's shell and the form of
// its paths.
type OS string

// The families. Linux has a POSIX shell; on Windows it is PowerShell, and paths are
// written as C:/folder/file.
const (
	Linux   OS = "linux"
	Windows OS = "windows"
)

// Title returns the family's name for messages.
func (o OS) Title() string {
	if o == Windows {
		return "Windows"
	}
	return "Linux"
}

// Mark is one entry of an owner's manifest: an object that cannot carry a mark itself.
type Mark struct {
	Kind  string `json:"kind"`            // file, directory, unit, service, nft_table, ovs_setting, package, image …
	ID    string `json:"id"`              // a path or a name
	Prior string `json:"prior,omitempty"` // the earlier state, to restore; its form depends on the kind
	Keep  bool   `json:"keep,omitempty"`  // not removed on cleanup unless everything is purged: packages, base images
	// Sums are the SHA-256 checksums, in hex, of what kinit has written into a file last, the newest first, with spaces
	// between them. A file with another one was changed since. Empty if that is not known.
	Sums string `json:"sums,omitempty"`
}

// mostSums is how many checksums a mark has. It needs two: that of the content that is written, and of the one before, in case
// the run is interrupted; tasks that edit one file at the same time may add others.
const mostSums = 8

// Merge returns the mark with the checksums of a newer one before its own.
func (m Mark) Merge(newer Mark) Mark {
	var sums []string
	for _, sum := range append(strings.Fields(newer.Sums), strings.Fields(m.Sums)...) {
		if !slices.Contains(sums, sum) && len(sums) < mostSums {
			sums = append(sums, sum)
		}
	}
	m.Sums = strings.Join(sums, " ")
	return m
}

// Wrote reports whether a checksum is one of the mark's.
func (m Mark) Wrote(sum string) bool { return slices.Contains(strings.Fields(m.Sums), sum) }

// Command is a process to run on a host.
type Command struct {
	Argv []string // the program and its arguments, not quoted
	// PowerShell is the text of a script to run instead of a program, on Windows hosts
	// only. Its exit code is that of "exit", 1 after an exception, else that of the last
	// program it ran, or 0.
	PowerShell string
	// Name replaces a script's text in messages.
	Name string
	Env  map[string]string // added to a plain environment
	Dir  string            // the working directory, the login's home when empty
	// AsLogin leaves the program the locale and the umask of a login on the host. Otherwise its messages are in English and
	// its texts are bytes (LC_ALL=C), so that a module can read what it prints, and others may read the files that it makes
	// (umask 022).
	AsLogin bool
	Stdin   io.Reader // nothing when nil
	// Urgent commands do not wait while others keep the connection busy. Only the engine
	// uses them, one at a time.
	Urgent bool
	// Long is for commands whose output may be long and is not read: its beginning and end
	// are kept, and the bytes in between are counted. Line has the same effect. For other
	// commands, more than 8 MiB is an error.
	Long bool
	// Line, when set, is called with each line of standard output and error as it
	// arrives, to show progress.
	Line func(line string)
}

// Output is the output of a command, byte for byte.
type Output struct {
	Stdout, Stderr string
	Duration       time.Duration
}

// Files is a host's file system. The error for a missing file is fs.ErrNotExist. Paths are
// absolute and slash-separated.
type Files interface {
	// Stat describes a file and does not follow a link.
	Stat(ctx context.Context, path string) (FileInfo, error)
	// Open reads a file. If another user can change its path, it must be a regular file,
	// and the path must have no links.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
	// Write replaces a file's content in one go: random name in the same folder,
	// owner and mode on the handle, content, fsync, rename. The folder must exist.
	//
	// No change of files follows a path that another user can redirect: if users other than
	// root and our own can change a folder of the path, links are not followed, and a path
	// that needs one is an error.
	Write(ctx context.Context, path string, content io.Reader, attr Attr) error
	// Mkdir makes a folder and its missing parents; attr is for the last one.
	Mkdir(ctx context.Context, path string, attr Attr) error
	// SetAttr changes mode and owner.
	SetAttr(ctx context.Context, path string, attr Attr) error
	// Symlink makes path a link to target, replacing an older link.
	Symlink(ctx context.Context, target, path string) error
	// Remove deletes a file, a link, or a folder with all in it. A folder below which a
	// file system is mounted is an error. A missing path is no error.
	Remove(ctx context.Context, path string) error
	// Rename moves a file within a file system, replacing the target.
	Rename(ctx context.Context, from, to string) error
	// List describes what is in a folder, by name.
	List(ctx context.Context, path string) ([]FileInfo, error)
	// Folder finds the folder of a path, for a program that will write there. If the folder
	// is not closed, another user could redirect that program.
	Folder(ctx context.Context, path string) (Folder, error)
}

// Folder is the folder of a path.
type Folder struct {
	Path   string // without links, except those that only the host's root can change
	Closed bool   // only root and our own user can change it or the path to it
}

// FileInfo describes a file.
type FileInfo struct {
	Name   string      // the last part of the path
	Size   int64       // bytes
	Mode   fs.FileMode // permission bits and type
	MTime  time.Time
	UID    uint32
	GID    uint32
	Owner  string // the user's name, or the number as text without a name
	Group  string // the group's name, or the number as text without a name
	Target string // of a link
}

// Attr is the wanted owner, group and mode of a file. Zero fields do not change, or take
// the host's default for a new file.
type Attr struct {
	Mode  fs.FileMode // permission bits, 0 keeps them
	Owner string      // user name or number
	Group string      // group name or number
}

// Away announces that a host will be away, for example for a restart, for at most within.
// The run keeps its lock there for that time instead of stopping because the host does not
// answer. The caller calls the returned function when the host is back.
func Away(ctx context.Context, h Host, within time.Duration) (back func(), err error) {
	if a, ok := h.(interface {
		Away(ctx context.Context, within time.Duration) (func(), error)
	}); ok {
		return a.Away(ctx, within)
	}
	return func() {}, nil
}

// MostText is the most, in bytes, that is read of a host's file as a text. Otherwise a user
// of the host could fill the memory of the machine kinit runs on.
const MostText = 8 << 20

// ReadFile reads a text file of a host. A file of more than MostText is an error.
func ReadFile(ctx context.Context, files Files, path string) ([]byte, error) {
	file, err := files.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MostText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MostText {
		return nil, fmt.Errorf("%s has more than %d MiB, which is no text that kinit reads or edits", path, MostText>>20)
	}
	return text, nil
}
