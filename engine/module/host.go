package module

import (
	"context"
	"io"
	"io/fs"
	"net"
	"time"

	"kinit/engine/event"
	"kinit/engine/secret"
)

// Host is what a task may touch: one machine, over whatever transport reaches it.
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
	// Owner is the cluster that what is made here belongs to, or "" when it
	// belongs to nobody and needs no mark.
	Owner() string
	// Instance is the id of what the owner's name stands for on the hosts of the run. All
	// marks carry it beside the name, so that two owners of one name are told apart. It is
	// empty where there is no owner.
	Instance() string
	// Own records a mark in the owner's manifest on the host, before the thing is
	// made, so that clean-up finds it. Without an owner it does nothing.
	Own(ctx context.Context, m Mark) error
	// Disown removes a mark after the thing is gone.
	Disown(ctx context.Context, m Mark) error
	// Marks lists the owner's marks on the host, in the order they were made.
	Marks(ctx context.Context) ([]Mark, error)
	// Report shows how far a long task is.
	Report(p event.Progress)
	// Redact masks the secrets the run knows.
	Redact(text string) string
	// AddSecret makes values known to the run, to be masked from now on.
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

// Title is the family's name in messages.
func (o OS) Title() string {
	if o == Windows {
		return "Windows"
	}
	return "Linux"
}

// Mark is one entry of an owner's manifest: a thing that has no place of its own
// for a mark.
type Mark struct {
	Kind  string `json:"kind"`            // file, directory, unit, service, nft_table, ovs_setting, package, image …
	ID    string `json:"id"`              // a path or a name
	Prior string `json:"prior,omitempty"` // what was there before, to be restored; its meaning is the kind's
	Keep  bool   `json:"keep,omitempty"`  // stays on cleanup unless everything is purged: packages, base images
}

// Command is a process to run on a host.
type Command struct {
	Argv []string // the program and its arguments, not quoted
	// PowerShell is the text of a script to run instead of a program, on Windows
	// hosts only. Its exit code is that of "exit", 1 when it throws, else that of the
	// last program it ran, or 0.
	PowerShell string
	// Name is what messages call a script, in place of its text.
	Name  string
	Env   map[string]string // added to a plain environment
	Dir   string            // the working directory, the login's home when empty
	Stdin io.Reader         // nothing when nil
	// Urgent commands do not wait for others that keep the connection busy. They are for
	// the engine: there is room for one at a time.
	Urgent bool
	// Long says that nothing is read of what the command prints, which may be long: its
	// beginning and its end are kept, and what is left out is counted. So it is with Line.
	// Of any other command, more than 8 MiB is an error.
	Long bool
	// Line, when set, is called with each line of standard output and error as it
	// arrives, to show progress.
	Line func(line string)
}

// Output is what a command printed, byte for byte.
type Output struct {
	Stdout, Stderr string
	Duration       time.Duration
}

// Files is a host's file system. Missing files give an error that is
// fs.ErrNotExist. Paths are absolute and slash-separated.
type Files interface {
	// Stat describes a file and does not follow a link.
	Stat(ctx context.Context, path string) (FileInfo, error)
	// Open reads a file. Where another user can change the way to it, it must be a
	// regular file, and no link may lead there.
	Open(ctx context.Context, path string) (io.ReadCloser, error)
	// Write replaces a file's content in one go: random name in the same folder,
	// owner and mode on the handle, content, fsync, rename. The folder must exist.
	//
	// Whatever changes files goes no way that another user can bend: where somebody
	// else than root and our own user can change a folder on the way, no link is
	// followed, and what would need one is an error.
	Write(ctx context.Context, path string, content io.Reader, attr Attr) error
	// Mkdir makes a folder and its missing parents; attr is for the last one.
	Mkdir(ctx context.Context, path string, attr Attr) error
	// SetAttr changes mode and owner.
	SetAttr(ctx context.Context, path string, attr Attr) error
	// Symlink makes path a link to target, replacing an older link.
	Symlink(ctx context.Context, target, path string) error
	// Remove deletes a file, a link, or a folder with all in it. A folder below which
	// a file system is mounted is an error. Nothing there is no error.
	Remove(ctx context.Context, path string) error
	// Rename moves a file within a file system, replacing the target.
	Rename(ctx context.Context, from, to string) error
	// List describes what is in a folder, by name.
	List(ctx context.Context, path string) ([]FileInfo, error)
	// Folder finds the folder of a path, for a program that is to write there: in one
	// that is not closed, a program that takes paths could be led elsewhere.
	Folder(ctx context.Context, path string) (Folder, error)
}

// Folder is where a path lies.
type Folder struct {
	Path   string // without links, as far as only the host's root can change them
	Closed bool   // nobody but root and our own user can change it or the way to it
}

// FileInfo describes a file.
type FileInfo struct {
	Name   string      // the last part of the path
	Size   int64       // bytes
	Mode   fs.FileMode // permission bits and type
	MTime  time.Time
	UID    uint32
	GID    uint32
	Owner  string // the user's name, or the number as text when it has none
	Group  string // the group's name, or the number as text when it has none
	Target string // of a link
}

// Attr is what a file should be besides its content. Zero fields are left as
// they are, or take the host's default for a new file.
type Attr struct {
	Mode  fs.FileMode // permission bits, 0 leaves them
	Owner string      // user name or number
	Group string      // group name or number
}
