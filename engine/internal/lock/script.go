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
)

//go:embed scripts/lock.sh
var script string

// place is where the lock of an owner is on one host, for one run.
type place struct {
	folder string // of all locks
	owner  string // as the name of a folder
	token  string // of the run
	proc   string // where the host's clock is
}

// link is what is on the host for as long as the run may work there.
func (p place) link() string { return path.Join(p.folder, p.owner, "run."+Name(p.token)) }

// Name is the part of a token that names the run: no other run has the same.
func Name(token string) string { return path.Base(token) }

// operation is one operation of the script.
type operation struct {
	name string        // take, renew or release
	dead string        // of take: the token of a run that has died, or anybody
	away time.Duration // for how long the host may be away
}

// anybody is whose lock may be taken on hosts that the owner's own playbook makes: the
// locks of the other hosts have decided.
const anybody = "*"

// command is the command of an operation. It runs whatever else runs on the host.
func (p place) command(h module.Host, o operation) module.Command {
	if h.OS() == module.Windows {
		return p.windowsCommand(o)
	}
	return module.Command{Urgent: true, Name: "the script of the lock", Argv: []string{"sh", "-c", script, "lock",
		o.name, p.folder, p.owner, p.token, hundredths(lifetime), o.dead, p.proc, seconds(o.away)}}
}

func hundredths(d time.Duration) string {
	return strconv.FormatInt(int64(d/(10*time.Millisecond)), 10)
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// answer is what the script found.
type answer struct {
	taken  bool
	folder string // of taken: where the locks are, which depends on the user
	ended  int    // of taken: how many processes of earlier runs were ended
	was    string // of taken: whose dead lock it was

	renewed bool

	holder string        // who has it, where it was not taken and not renewed
	since  time.Duration // for how long
	until  string        // the host's clock when its time is up: a renewal changes it
}

// do runs an operation.
func (p place) do(ctx context.Context, h module.Host, o operation) (answer, error) {
	timed, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	out, err := h.Run(timed, p.command(h, o))
	if err != nil {
		return answer{}, err
	}
	return parse(out.Stdout)
}

// parse reads what the script printed.
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

// folderName makes the name of a folder of an owner's: letters, digits and a few signs stay.
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
