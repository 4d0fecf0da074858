package shell

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/process"
	"kinit/test/winsim/wsman/internal/soap"
)

// Bounds of an idle timeout that a client may ask for (MS-WSMV 2.2.4.37).
const (
	minIdle = time.Minute
	maxIdle = 2147483647 * time.Millisecond
)

// Shell is one open shell.
type Shell struct {
	ID, Owner, ClientIP string
	WorkingDirectory    string
	IdleTimeOut         time.Duration
	InputStreams        string
	OutputStreams       string

	host     *Host
	env      map[string]string
	codePage int
	started  int // commands, guarded by the host's mutex

	mu       sync.Mutex
	commands map[string]*command
	busy     int // requests under way
	closed   bool
	expiry   *time.Timer
}

func newShell(h *Host, user, clientIP string, asked *soap.Shell, options map[string]string) (*Shell, *soap.Fault) {
	id, fault := newID(asked.ID)
	if fault != nil {
		return nil, fault
	}
	idle, fault := idleTimeout(asked.IdleTimeOut, h.quotas.IdleTimeout)
	if fault != nil {
		return nil, fault
	}
	page, fault := codePage(options)
	if fault != nil {
		return nil, fault
	}
	if !isBool(options["WINRS_NOPROFILE"]) {
		return nil, soap.NewFault(soap.InvalidParameter)
	}
	s := &Shell{
		ID: id, Owner: user, ClientIP: clientIP,
		WorkingDirectory: asked.WorkingDirectory, IdleTimeOut: idle,
		InputStreams: asked.InputStreams, OutputStreams: asked.OutputStreams,
		host: h, env: map[string]string{}, codePage: page, commands: map[string]*command{},
	}
	for _, v := range asked.Environment {
		s.env[v.Name] = v.Value
	}
	s.expiry = time.AfterFunc(maxIdle, func() { h.Delete(s) })
	return s, nil
}

// newID is the id that a client has chosen, as it may, or one of the server's own.
func newID(asked string) (string, *soap.Fault) {
	if asked == "" {
		return soap.NewID(), nil
	}
	id := strings.ToUpper(asked)
	if !regexp.MustCompile(`^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$`).MatchString(id) {
		return "", soap.NewFault(soap.SchemaError)
	}
	return id, nil
}

func idleTimeout(asked string, normal time.Duration) (time.Duration, *soap.Fault) {
	if asked == "" {
		return normal, nil
	}
	idle, ok := soap.ParseDuration(asked)
	if !ok {
		return 0, soap.NewFault(soap.SchemaError)
	}
	if idle < minIdle || idle > maxIdle {
		return 0, soap.NewFault(soap.IdleTimeoutOutOfBounds)
	}
	return idle, nil
}

// codePage is the option's value, 0 when it is not given. The list is of those that
// every Windows Server has.
func codePage(options map[string]string) (int, *soap.Fault) {
	asked, ok := options["WINRS_CODEPAGE"]
	if !ok {
		return 0, nil
	}
	page, err := strconv.Atoi(asked)
	known := []int{437, 737, 775, 850, 852, 855, 857, 858, 862, 866, 874, 932, 936, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 20127, 28591, 65001}
	if err != nil || !slices.Contains(known, page) {
		return 0, soap.NewFault(soap.UnknownCodePage)
	}
	return page, nil
}

// isBool reports whether an option, which may be left out, is true or false.
func isBool(value string) bool {
	return value == "" || strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
}

// Command starts a command and returns its id (MS-WSMV 3.1.4.11). It runs until it
// ends by itself or is signaled, or the shell is closed.
func (s *Shell) Command(asked *soap.CommandLine, options map[string]string) (string, *soap.Fault) {
	id, fault := newID(asked.ID)
	if fault != nil {
		return "", fault
	}
	if !isBool(options["WINRS_CONSOLEMODE_STDIN"]) || !isBool(options["WINRS_SKIP_CMD_SHELL"]) {
		return "", soap.NewFault(soap.InvalidParameter)
	}
	line := strings.Join(append([]string{asked.Command}, asked.Arguments...), " ")
	if length(line) > maxProcessLine-len(cmdPrefix) {
		return "", soap.NewFault(soap.LineTooLong)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault := s.accepts(id); fault != nil {
		return "", fault
	}
	if fault := s.host.count(s, line); fault != nil {
		return "", fault
	}
	s.start(id, line)
	return id, nil
}

// accepts reports whether a command with an id may start.
func (s *Shell) accepts(id string) *soap.Fault {
	if s.closed {
		return soap.NewFault(soap.UnknownShell)
	}
	if _, exists := s.commands[id]; exists {
		return soap.NewFault(soap.CommandExists)
	}
	running := 0
	for _, c := range s.commands {
		if !c.ended() {
			running++
		}
	}
	if running >= s.host.quotas.Processes {
		return soap.NewFault(soap.TooManyProcesses)
	}
	return nil
}

func (s *Shell) start(id, line string) {
	ctx, stop := context.WithCancel(context.Background())
	c := newCommand(id, stop)
	s.commands[id] = c
	p := process.Command{
		Line: line, User: s.Owner, Env: maps.Clone(s.env), Dir: s.WorkingDirectory, CodePage: s.codePage,
		Stdin: c, Stdout: c.stream("stdout"), Stderr: c.stream("stderr"),
	}
	if length(line) > maxCmdLine {
		refuseLine(c, p)
		return
	}
	s.host.run(ctx, c, p)
}

// Send gives input to a command (MS-WSMV 3.1.4.13). It waits until the command has
// read what it was given before.
func (s *Shell) Send(ctx context.Context, asked *soap.Send) *soap.Fault {
	for _, piece := range asked.Streams {
		if piece.Name != "stdin" {
			return soap.NewFault(soap.InvalidParameter)
		}
		c, fault := s.find(piece.CommandID)
		if fault != nil {
			return fault
		}
		if fault := c.send(ctx, piece); fault != nil {
			return fault
		}
	}
	return nil
}

// Receive waits for output of a command, and takes at most limit bytes of it
// (MS-WSMV 3.1.4.14).
func (s *Shell) Receive(ctx context.Context, asked *soap.Receive, limit int) (soap.Output, *soap.Fault) {
	for stream := range strings.FieldsSeq(asked.Desired.Streams) {
		if stream != "stdout" && stream != "stderr" {
			return soap.Output{}, soap.NewFault(soap.InvalidParameter)
		}
	}
	c, fault := s.find(asked.Desired.CommandID)
	if fault != nil {
		return soap.Output{}, fault
	}
	return c.receive(ctx, limit)
}

// Signal interrupts a command or ends it (MS-WSMV 3.1.4.12). A terminated command
// is forgotten.
func (s *Shell) Signal(asked *soap.Signal) *soap.Fault {
	c, fault := s.find(asked.CommandID)
	if fault != nil {
		return fault
	}
	switch strings.TrimSpace(asked.Code) {
	case soap.SignalCtrlC, soap.SignalCtrlBreak:
		c.interrupt()
	case soap.SignalTerminate:
		s.mu.Lock()
		delete(s.commands, c.id)
		s.mu.Unlock()
		c.terminate()
	default:
		return soap.NewFault(soap.InvalidParameter)
	}
	return nil
}

// find returns a command. A request that names none has a wrong parameter.
func (s *Shell) find(id string) (*command, *soap.Fault) {
	if id == "" {
		return nil, soap.NewFault(soap.InvalidParameter)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.commands[strings.ToUpper(id)]
	if !ok {
		return nil, soap.NewFault(soap.UnknownCommand)
	}
	return c, nil
}

// Enter says that a request works on the shell until leave is called: meanwhile the
// shell is not idle.
func (s *Shell) Enter() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	s.expiry.Stop()
	return func() {
		s.mu.Lock()
		s.busy--
		s.mu.Unlock()
		s.rest()
	}
}

// rest starts the idle time, unless requests are under way.
func (s *Shell) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == 0 && !s.closed {
		s.expiry.Reset(s.IdleTimeOut)
	}
}

func (s *Shell) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy == 0
}

// close ends everything in the shell.
func (s *Shell) close() {
	s.mu.Lock()
	commands := s.commands
	s.commands, s.closed = map[string]*command{}, true
	s.expiry.Stop()
	s.mu.Unlock()
	for _, c := range commands {
		c.terminate()
	}
}
