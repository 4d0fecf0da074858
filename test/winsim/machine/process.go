package machine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// Program is what an executable file does. It returns the exit code. ctx ends when the
// process is terminated; the program then returns soon.
type Program func(ctx context.Context, p *Process) uint32

// Process is a running program.
type Process struct {
	Machine *Machine
	ID      int
	Image   string   // the path of its executable
	Version string   // of the program, as its file says
	Line    string   // the command line as it was given
	Args    []string // the arguments, without the program's name
	Dir     string   // the working directory
	Env     *Environment
	User    string // a SID
	Started time.Time

	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Service is set for the process of a service.
	Service *scm.Control

	done chan struct{}
	exit uint32
	kill context.CancelFunc

	mu      sync.Mutex
	failure error
}

// Fail notes that the program was asked for something that the simulator does not know.
// The first such error is the process' failure. One that met a machine going down has
// asked for nothing.
func (p *Process) Fail(err error) {
	if errors.Is(err, ErrOff) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == nil {
		p.failure = err
		p.Machine.Unknown("%v", err)
	}
}

// Failure is what the program was asked for and the simulator does not know, or nil.
func (p *Process) Failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// Start is what a process is started with. Program is a path, or a name to be looked
// for. Zero fields take the defaults: no input, output thrown away, the system's
// folder, the environment and account of the system.
type Start struct {
	Program        string
	Args           []string
	Line           string // the command line; made of Program and Args when empty
	Dir            string
	Env            *Environment
	User           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Service        *scm.Control
}

// processTable is the processes that run.
type processTable struct {
	sync.Mutex
	last      int
	processes map[int]*Process
}

// Launch starts a process. It ends when it has finished, when ctx ends, or with the
// machine. Errors are those of CreateProcess.
func (m *Machine) Launch(ctx context.Context, s Start) (*Process, error) {
	s = m.complete(s)
	image, err := m.FindProgram(s.Program, s.Dir, s.Env)
	if err != nil {
		return nil, err
	}
	run, version, err := m.load(image)
	if err != nil {
		return nil, err
	}
	held, err := m.Files.Execute(image)
	if err != nil {
		return nil, err
	}
	p := &Process{
		Machine: m, Image: image, Version: version, Line: s.Line, Args: s.Args, Dir: s.Dir, Env: s.Env, User: s.User,
		Stdin: s.Stdin, Stdout: s.Stdout, Stderr: s.Stderr, Service: s.Service,
		Started: m.Now(), done: make(chan struct{}),
	}
	ctx, p.kill = context.WithCancel(ctx)
	m.table.add(p)
	spawned := m.spawn(func(boot context.Context) {
		defer context.AfterFunc(boot, p.kill)()
		defer p.kill()
		p.exit = run(ctx, p)
		p.end(held)
	})
	if !spawned {
		p.kill()
		p.end(held)
		return nil, ErrOff
	}
	return p, nil
}

// end lets go of what a process held.
func (p *Process) end(image *ntfs.File) {
	_ = image.Close() // it has no file of its own to close
	p.Machine.table.remove(p)
	close(p.done)
}

func (m *Machine) complete(s Start) Start {
	s.User = cmp.Or(s.User, account.SystemSID)
	if s.Env == nil {
		s.Env = m.Environment(s.User)
	}
	s.Dir = cmp.Or(s.Dir, SystemFolder)
	s.Stdin = cmp.Or[io.Reader](s.Stdin, bytes.NewReader(nil))
	s.Stdout = cmp.Or(s.Stdout, io.Discard)
	s.Stderr = cmp.Or(s.Stderr, io.Discard)
	if s.Line == "" {
		s.Line = JoinArgs(append([]string{s.Program}, s.Args...))
	}
	return s
}

func (t *processTable) add(p *Process) {
	t.Lock()
	defer t.Unlock()
	// Process ids are multiples of four on Windows.
	t.last += 4
	p.ID = 1000 + t.last
	t.processes[p.ID] = p
}

func (t *processTable) remove(p *Process) {
	t.Lock()
	defer t.Unlock()
	delete(t.processes, p.ID)
}

// Wait waits for the end of the process and returns its exit code.
func (p *Process) Wait() uint32 {
	<-p.done
	return p.exit
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Kill ends the process.
func (p *Process) Kill() { p.kill() }

// Name is the process' name as Get-Process shows it.
func (p *Process) Name() string {
	base := p.Image[strings.LastIndexByte(p.Image, '\\')+1:]
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}

// Launch starts a process with what this one has: its streams, folder, environment and
// user, where s does not say otherwise. It ends with this one.
func (p *Process) Launch(ctx context.Context, s Start) (*Process, error) {
	s.Dir = cmp.Or(s.Dir, p.Dir)
	if s.Env == nil {
		s.Env = p.Env.Clone()
	}
	s.User = cmp.Or(s.User, p.User)
	s.Stdin = cmp.Or(s.Stdin, p.Stdin)
	s.Stdout = cmp.Or(s.Stdout, p.Stdout)
	s.Stderr = cmp.Or(s.Stderr, p.Stderr)
	return p.Machine.Launch(ctx, s)
}

// Text is the system's message of a code in the machine's language.
func (m *Machine) Text(code winerr.Code) string { return code.Text(m.state.Language) }

// Processes lists the processes by id.
func (m *Machine) Processes() []*Process {
	m.table.Lock()
	defer m.table.Unlock()
	return slices.SortedFunc(maps.Values(m.table.processes), func(a, b *Process) int { return a.ID - b.ID })
}

// Process returns the process with that id.
func (m *Machine) Process(id int) (*Process, bool) {
	m.table.Lock()
	defer m.table.Unlock()
	p, ok := m.table.processes[id]
	return p, ok
}

// programMark is what the first line of a file begins with that stands for a program:
// then come the program's name and its version.
const programMark = "kinit-winsim program "

// Stand returns the content of a file that stands for a program.
func Stand(program, version string) []byte {
	return []byte(programMark + program + " " + version + "\n")
}

// Identify returns the name and version of the program that a file stands for.
func Identify(content []byte) (program, version string, ok bool) {
	line, _, _ := bytes.Cut(content, []byte("\n"))
	rest, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r"), programMark)
	if !ok {
		return "", "", false
	}
	program, version, ok = strings.Cut(rest, " ")
	return program, version, ok && program != "" && version != ""
}

// load returns what a file does.
func (m *Machine) load(image string) (Program, string, error) {
	content, err := m.Head(image)
	if err != nil {
		return nil, "", err
	}
	name, version, ok := Identify(content)
	if !ok {
		return nil, "", winerr.Of(winerr.BadExeFormat, "start", image)
	}
	run, ok := m.options.Programs[name]
	if !ok {
		m.Unknown("program %s of %s", name, image)
		return nil, "", winerr.Of(winerr.BadExeFormat, "start", image)
	}
	return run, version, nil
}

// headSize is how much of a file is read to see what program it stands for.
const headSize = 4096

// Head returns the beginning of a file.
func (m *Machine) Head(name string) ([]byte, error) {
	file, err := m.Files.Open(name, ntfs.Existing, ntfs.Reading, ntfs.ShareAll)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(file, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// FindProgram returns the path of a program as CreateProcess finds it: a path as it
// is, a name in the working directory, the system's folders and the Path, with .exe
// where it has no extension.
func (m *Machine) FindProgram(name, dir string, env *Environment) (string, error) {
	candidate := name
	if !strings.Contains(name[strings.LastIndexAny(name, `\/`)+1:], ".") {
		candidate += ".exe"
	}
	folders := append([]string{dir, SystemFolder, `C:\Windows`}, strings.Split(env.Get("Path"), ";")...)
	if strings.ContainsAny(name, `\/:`) {
		folders = []string{dir}
	}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		info, err := m.Files.Resolve(ntfs.Join(folder, candidate))
		if err == nil && !info.IsDir() {
			return info.Path, nil
		}
	}
	return "", winerr.Of(winerr.FileNotFound, "start", name)
}
