package sshconfig

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kinit/engine/shell"
	"kinit/engine/trust"
)

// Given is what the inventory says of a host. It counts more than the configuration.
type Given struct {
	User    string
	Port    int
	File    string   // a configuration in place of the user's and the machine's, as ssh -F
	Options []string // each as "KEYWORD VALUE" or "KEYWORD=VALUE", as ssh -o
}

func (g Given) key() string {
	return strings.Join(append([]string{g.User, strconv.Itoa(g.Port), g.File}, g.Options...), "\x00")
}

// Resolver finds the settings of hosts and keeps them. It is safe for use by several goroutines.
type Resolver struct {
	user   identity
	client *client // nil without the program ssh
	files  []configFile
	turns  chan struct{} // holds a token for each call of ssh

	mu      sync.Mutex
	answers map[string]*answer
	shapes  map[string]shape // of configurations, by file of Given
}

// answer is what one host, or all of them, get.
type answer struct {
	once    sync.Once
	options options
	err     error
}

// NewResolver returns a resolver for the user of the process, with a home folder, the account's if empty, and an environment of KEY=value
// pairs. At most forks programs ssh run at a time.
func NewResolver(home string, environ []string, forks int) *Resolver {
	u := identity{environ: lookupIn(environ), uid: os.Getuid(), home: home}
	account, err := user.Current()
	if err == nil {
		u.name, u.home = account.Username, cmp.Or(home, account.HomeDir)
	}
	r := &Resolver{user: u, turns: make(chan struct{}, max(1, forks)), answers: map[string]*answer{}, shapes: map[string]shape{}}
	own := filepath.Join(u.home, ".ssh")
	r.files = []configFile{{path: filepath.Join(own, "config"), folder: own}, {path: "/etc/ssh/ssh_config", folder: "/etc/ssh"}}
	// ssh looks for its files in the home folder of the account, whatever HOME says.
	path, missing := exec.LookPath("ssh")
	if missing == nil && filepath.IsAbs(path) && err == nil && filepath.Clean(account.HomeDir) == filepath.Clean(u.home) {
		r.client = newClient(path, environ)
	}
	return r
}

func lookupIn(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range slices.Backward(environ) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

// Settings returns the settings of a host, whose name may be an alias of the configuration. The errors name the line of
// a file that cannot be read.
func (r *Resolver) Settings(ctx context.Context, host string, given Given) (Settings, error) {
	if strings.HasPrefix(host, "-") {
		return Settings{}, fmt.Errorf("the name of a host cannot begin with \"-\": %q", host)
	}
	shape, err := r.shape(given.File)
	if err != nil {
		return Settings{}, err
	}
	found, err := r.options(ctx, host, given, shape)
	if err != nil {
		return Settings{}, err
	}
	settings, err := found.settings(host, r.user)
	if err != nil {
		err = fmt.Errorf("the SSH configuration of %s: %w", host, err)
	}
	return settings, err
}

// options finds the options of a host: once for all hosts if the configuration treats them alike.
func (r *Resolver) options(ctx context.Context, host string, given Given, is shape) (options, error) {
	if is == absent && len(given.Options) == 0 {
		return Given{User: given.User, Port: given.Port}.options(), nil
	}
	key := given.key()
	if is == particular || tokensIn(given.Options) {
		key += "\x00" + host
	}
	r.mu.Lock()
	a := r.answers[key]
	if a == nil {
		a = &answer{}
		r.answers[key] = a
	}
	r.mu.Unlock()
	a.once.Do(func() { a.options, a.err = r.ask(ctx, host, given) })
	if a.err != nil {
		r.mu.Lock()
		if ctx.Err() != nil { // the next one may have more time
			delete(r.answers, key)
		}
		r.mu.Unlock()
		return nil, a.err
	}
	return a.options, nil
}

func (r *Resolver) ask(ctx context.Context, host string, given Given) (options, error) {
	if r.client == nil {
		return r.parse(host, given)
	}
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.client.options(ctx, host, given)
}

// parse reads the configuration without the program ssh. A Match line may ask for a second pass, in which Host lines
// are compared with the name that the first pass has found.
func (r *Resolver) parse(host string, given Given) (options, error) {
	p := &parser{user: r.user, host: host, original: host, options: options{}, known: keywords()}
	pass := func() error {
		for _, option := range given.Options {
			active := true
			if err := p.line(option, configFile{folder: filepath.Join(r.user.home, ".ssh")}, 0, &active); err != nil {
				return fmt.Errorf("-o %q: %w", option, err)
			}
		}
		for name, values := range (Given{User: given.User, Port: given.Port}).options() {
			p.options.add(p.known[name], values)
		}
		return p.files(r.filesFor(given.File))
	}
	err := pass()
	if err == nil && p.again {
		p.final, p.host = true, p.hostName()
		err = pass()
	}
	if err != nil {
		return nil, fmt.Errorf("the SSH configuration of %s: %w", host, err)
	}
	return p.options, nil
}

// options are those that a user and a port stand for.
func (g Given) options() options {
	all := options{}
	if g.User != "" {
		all["user"] = []string{g.User}
	}
	if g.Port != 0 {
		all["port"] = []string{strconv.Itoa(g.Port)}
	}
	return all
}

// filesFor returns the files of the configuration.
func (r *Resolver) filesFor(named string) []configFile {
	switch {
	case named == "":
		return r.files
	case lower(named) == "none":
		return nil
	}
	return []configFile{{path: shell.ExpandHome(named, r.user.home), folder: filepath.Join(r.user.home, ".ssh"), needed: true}}
}

// trusted checks the files of the configuration. ssh refuses a configuration that others can change, too.
func (r *Resolver) trusted(named string) error {
	rules := trust.From(os.Environ())
	for _, f := range r.filesFor(named) {
		check := rules.Found
		if f.needed {
			check = rules.Named
		}
		if err := check(f.path); err != nil {
			return fmt.Errorf("%s is %w", f.path, err)
		}
	}
	return nil
}
