package local

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pkg/sftp"

	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/framing"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/sftpfs"
)

// patience is how long sudo, doas or su may take to begin, if the command is to be killed.
const patience = 5 * time.Second

// mostSaid is the most, in bytes, that is kept of what a program says before it begins.
const mostSaid = 4 << 10

// other is another user of this machine.
type other struct {
	way   *become.Way
	conn  *Conn
	files *life.Kept[*sftp.Client] // of an SFTP server that runs as the user
}

// As returns this machine as another user, by "sudo", "doas" or "su"; an empty method
// is sudo. They get the password if they ask for one; without it, which is nil, sudo and doas need a
// rule that allows that, and su needs kinit to run as root.
func As(name, method string, password *transport.Password) (*Conn, error) {
	u := become.User{Name: name, Method: method, Login: loginName(), Host: "this machine"}
	if u.By() == become.Su && os.Geteuid() != 0 && password == nil {
		return nil, fmt.Errorf("%w: become %s with su: it asks for a password unless root runs kinit; give it by --ask-become-pass, or use sudo or doas", transport.ErrBecome, name)
	}
	return asUser(u, password), nil
}

// loginName is who runs kinit, empty if the system does not know a name.
func loginName() string {
	self, err := user.Current()
	if err != nil {
		return ""
	}
	return self.Username
}

func asUser(u become.User, password *transport.Password) *Conn {
	c := &Conn{life: newLife()}
	c.as = &other{way: become.NewWay(u, password), conn: c, files: life.NewKept[*sftp.Client]()}
	c.files = sftpfs.New(c.as, c.Exec)
	return c
}

// exec runs the line as the user. The line does not appear in process lists or in sudo's
// log: the shell reads it, followed by the mark, before its input.
func (o *other) exec(ctx context.Context, c *Conn, p transport.Process) (code int, err error) {
	if strings.ContainsRune(shell.Exports(p.Env)+p.Line, 0) {
		return 0, errors.New("a command line cannot contain a zero byte")
	}
	if !o.way.Password().Proven() { // by a command that ends soon: others wait for it
		if err := o.way.Start(ctx, func(e *become.Entry) error {
			_, err := o.execBy(ctx, c, transport.Process{Line: "true"}, e)
			return err
		}); err != nil {
			return 0, err
		}
	}
	err = o.way.Start(ctx, func(e *become.Entry) (err error) {
		code, err = o.execBy(ctx, c, p, e)
		return err
	})
	return code, err
}

// execBy runs the line by an entry, if there is one.
func (o *other) execBy(ctx context.Context, c *Conn, p transport.Process, e *become.Entry) (int, error) {
	line, mark := shell.Exports(p.Env)+p.Line, rand.Text()
	session := make(chan int, 1) // holds the number once it is known
	begin := framing.NewOpening(mark, p.Stdout, func(number int) { session <- number })
	said := framing.NewHead(mostSaid)
	stderr := io.Writer(said)
	if p.Stderr != nil {
		stderr = io.MultiWriter(said, p.Stderr)
	}
	input := io.Reader(strings.NewReader(line + mark))
	if p.Stdin != nil {
		input = io.MultiReader(input, p.Stdin)
	}
	argv := []string{"/bin/sh", "-c", framing.Mark(c.run) + becomeScript, "/bin/sh", lineScript, mark, strconv.Itoa(len(line) + len(mark))}
	var cmd *exec.Cmd
	var talk *become.Exchange
	if e == nil {
		cmd = command(o.way.User.Line(argv...))
	} else {
		cmd = command(e.Line(argv...))
		talk = become.NewExchange(e, input, stderr, func() { _ = cmd.Process.Kill() })
		defer talk.Close()
		input, stderr = talk, talk
	}
	code, err := c.attend(ctx, cmd, transport.Process{Stdin: input, Stdout: begin, Stderr: stderr}, o.signaller(cmd, session))
	if err == nil && !begin.Begun() {
		silent := fmt.Errorf("it ended with code %d and said nothing", code)
		if talk != nil {
			return 0, talk.Ended(silent)
		}
		return 0, o.way.User.Ended(false, sftpfs.Said(strings.NewReader(said.String()), silent))
	}
	return code, err
}

// becomeScript runs the script $1, which is lineScript, in a new session, with $2 and $3. The
// messages of its own shell about a killed shell are dropped.
//
//go:embed become.sh
var becomeScript string

// lineScript prints the mark $1 and the number of its session, and runs the line at the
// beginning of its input, where it and the mark have $2 bytes.
//
//go:embed line.sh
var lineScript string

// signaller sends signals as the user, since kinit may not be allowed to. sudo, doas or su
// ends with its command, and is killed if that is allowed.
func (o *other) signaller(cmd *exec.Cmd, begun chan int) signaller {
	return func(signal syscall.Signal) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		select {
		case session := <-begun:
			begun <- session // for the next signal
			o.signal(ctx, signal, session)
		case <-ctx.Done():
		}
		if signal == syscall.SIGKILL {
			signalSession(cmd.Process.Pid, signal)
		}
	}
}

func (o *other) signal(ctx context.Context, signal syscall.Signal, session int) {
	argv := []string{"/bin/sh", "-c", framing.KillSession, "kill", strconv.Itoa(int(signal)), strconv.Itoa(session)}
	_ = o.way.Start(ctx, func(e *become.Entry) error { // if the command remains, the wait for it times out
		line := o.way.User.Line(argv...)
		if e != nil {
			line = e.Line(argv...)
		}
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
		cmd.Dir, cmd.Env = home(), environment()
		if e == nil {
			return cmd.Run()
		}
		talk := become.NewExchange(e, nil, nil, func() { _ = cmd.Process.Kill() })
		defer talk.Close()
		cmd.Stdin, cmd.Stderr, cmd.WaitDelay = talk, talk, time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return cmd.Run()
	})
}

// Within returns this machine as a command such as nsenter with the namespaces of a process
// sees it: each program and its arguments are appended to argv.
func Within(argv ...string) *Conn {
	return asUser(become.User{Name: argv[0], Enter: argv}, nil)
}
