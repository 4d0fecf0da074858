package lock

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/engine/shell"
)

//go:embed scripts/lock.sh
var script string

//go:embed scripts/lock.ps1
var windowsScript string

// place is the lock of an owner on one host, for one run.
type place struct {
	folder string // the folder of all locks
	owner  string // as the name of a folder
	token  string // of the run
	proc   string // the folder of the host's clock
}

// link returns the path that exists on the host while the run may work there.
func (p place) link() string { return path.Join(p.folder, p.owner, "run."+Name(p.token)) }

// Name returns the unique part of a token.
func Name(token string) string { return path.Base(token) }

// operation is one operation of the script.
type operation struct {
	name string        // take, renew or release
	dead string        // of take: the token of a dead run, or anybody
	away time.Duration // how long the host may be away
}

// anybody takes a lock from any run, on hosts that the owner's own playbook makes: the
// locks of the other hosts have decided.
const anybody = "*"

// command is the command of an operation. It runs at once, whatever else runs on the host.
func (p place) command(h module.Host, o operation) module.Command {
	if h.OS() == module.Windows {
		return p.windowsCommand(o)
	}
	return module.Command{Urgent: true, Name: "the script of the lock", Argv: []string{"sh", "-c", script, "lock",
		o.name, p.folder, p.owner, p.token, hundredths(lifetime), o.dead, p.proc, seconds(o.away)}}
}

func (p place) windowsCommand(o operation) module.Command {
	values := []string{
		"$lock = @{",
		"op = " + shell.PowerShell(o.name),
		"folder = " + shell.PowerShell(p.folder),
		"owner = " + shell.PowerShell(p.owner),
		"token = " + shell.PowerShell(p.token),
		"run = " + shell.PowerShell(Name(p.token)),
		"dead = " + shell.PowerShell(o.dead),
		"lifetime = " + hundredths(lifetime),
		"away = " + hundredths(o.away),
		"}",
	}
	return module.Command{Urgent: true, PowerShell: strings.Join(append(values, windowsScript), "\n"), Name: "the script of the lock"}
}

func hundredths(d time.Duration) string {
	return strconv.FormatInt(int64(d/(10*time.Millisecond)), 10)
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// answer is the result of the script.
type answer struct {
	taken  bool
	folder string // of taken: the folder of the locks, which depends on the user
	ended  int    // of taken: how many processes of earlier runs were ended
	was    string // of taken: the holder of the dead lock

	renewed bool

	holder string        // the token of the holder, if the lock was neither taken nor renewed
	since  time.Duration // how long the holder has had it
	until  string        // the host's clock when the lock expires: a renewal changes it
}

func (p place) do(ctx context.Context, h module.Host, o operation) (answer, error) {
	timed, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	out, err := h.Run(timed, p.command(h, o))
	if err != nil {
		return answer{}, err
	}
	return parse(out.Stdout)
}

func parse(text string) (answer, error) {
	words := strings.Fields(text)
	number := func(i int) int {
		n, err := strconv.Atoi(words[i])
		if err != nil {
			return -1
		}
		return n
	}
	switch {
	case len(words) == 0:
		return answer{}, nil // a release
	case words[0] == "taken" && len(words) == 4:
		a := answer{taken: true, folder: words[1], ended: max(number(3), 0)}
		if words[2] != "-" {
			a.was = words[2]
		}
		return a, nil
	case words[0] == "renewed":
		return answer{renewed: true}, nil
	case words[0] == "held" && len(words) == 5:
		return answer{holder: words[1], since: time.Duration(number(2)) * 10 * time.Millisecond, until: words[4]}, nil
	case words[0] == "lost":
		return answer{holder: strings.Join(words[1:], " ")}, nil
	}
	return answer{}, fmt.Errorf("the script of the lock answered %.200q", text)
}

// folderName makes a folder name of an owner's name: it keeps letters, digits and a few
// other characters.
func folderName(owner string) string {
	var b strings.Builder
	for i, c := range []byte(owner) {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' && i > 0
		if plain {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
