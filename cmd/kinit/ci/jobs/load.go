package jobs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/ci/schedule"
	"kinit/engine/bounds"
	"kinit/engine/diag"
)

// The defaults of a job. A cluster under emulation takes an hour at worst.
const (
	defaultTimeout        = 3 * time.Hour
	defaultCleanupTimeout = 30 * time.Minute
	defaultVerify         = "verify"
	defaultCleanup        = "cleanup"
	defaultInfrastructure = "validate"
)

// document is the file in HCL's structure.
type document struct {
	Title   *string    `hcl:"title"`
	Results *string    `hcl:"results"`
	Site    *string    `hcl:"site"`
	BaseURL *string    `hcl:"base_url"`
	Keep    *keepBlock `hcl:"keep,block"`
	Jobs    []jobBlock `hcl:"job,block"`
	Body    hcl.Body   `hcl:",body"`
}

type keepBlock struct {
	Runs *int     `hcl:"runs"`
	Days *int     `hcl:"days"`
	Body hcl.Body `hcl:",body"`
}

type jobBlock struct {
	Name           string         `hcl:"name,label"`
	Spec           string         `hcl:"spec"`
	Hosts          *[]string      `hcl:"hosts"`
	Inventories    *[]string      `hcl:"inventories"`
	Variables      hcl.Expression `hcl:"variables,optional"`
	VariableFiles  *[]string      `hcl:"variable_files"`
	Set            *[]string      `hcl:"set"`
	Remove         *[]string      `hcl:"remove"`
	Schedule       *string        `hcl:"schedule"`
	TimeZone       *string        `hcl:"time_zone"`
	Timeout        *string        `hcl:"timeout"`
	CleanupTimeout *string        `hcl:"cleanup_timeout"`
	Retries        *int           `hcl:"retries"`
	Verify         *string        `hcl:"verify"`
	Cleanup        *string        `hcl:"cleanup"`
	Ready          *string        `hcl:"ready"`
	Backup         *backupBlock   `hcl:"backup,block"`
	Infrastructure *[]string      `hcl:"infrastructure"`
	Range          hcl.Range      `hcl:",def_range"`
	Body           hcl.Body       `hcl:",body"`
}

type backupBlock struct {
	Folder     string   `hcl:"folder"`
	Recipients []string `hcl:"recipients"`
	Keep       *int     `hcl:"keep"`
	Body       hcl.Body `hcl:",body"`
}

// loader is the state of one Load.
type loader struct {
	text  []byte
	file  *File
	diags diag.List
}

// Load reads a file of jobs. path is absolute, name is its name for people. The sources
// are for snippets.
func Load(path, name string) (*File, map[string]*hcl.File, diag.List) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, diag.List{{Summary: "No file of jobs", Detail: "It could not be read: " + err.Error() + ".", Cause: err}}
	}
	parsed, problems := bounds.Parse(name, text)
	sources := map[string]*hcl.File{name: parsed}
	if problems.HasErrors() {
		return nil, sources, diag.FromParser(problems)
	}
	var doc document
	problems = gohcl.DecodeBody(parsed.Body, nil, &doc)
	l := &loader{text: text, diags: diag.FromHCL(problems), file: &File{Path: name, Folder: filepath.Dir(path)}}
	l.document(doc, parsed.Body)
	l.diags.Sort()
	return l.file, sources, l.diags
}

func (l *loader) document(doc document, body hcl.Body) {
	l.file.Results, l.file.Site = l.path(doc.Results), l.path(doc.Site)
	l.file.Title, l.file.BaseURL = value(doc.Title, ""), value(doc.BaseURL, "")
	l.file.Keep = result.Limits{}
	if k := doc.Keep; k != nil {
		l.file.Keep.Runs = l.atLeast(k.Body, "runs", value(k.Runs, 0), 1, k.Runs != nil)
		l.file.Keep.Age = time.Duration(l.atLeast(k.Body, "days", value(k.Days, 0), 1, k.Days != nil)) * 24 * time.Hour
	}
	first := map[string]hcl.Range{}
	for _, b := range doc.Jobs {
		if at, taken := first[b.Name]; taken {
			l.errorf(b.Range, "Duplicate job", "A job %q is declared already, at %s.", b.Name, at)
			continue
		}
		first[b.Name] = b.Range
		l.job(b)
	}
	if len(doc.Jobs) == 0 && !l.diags.HasErrors() {
		l.errorf(body.MissingItemRange(), "No job", `The file has no job, as in: job "web" { spec = "web.hcl" }`)
	}
}

// nameFormat matches valid names of jobs: they become parts of page addresses and
// folder names.
func nameFormat() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`) }

func (l *loader) job(b jobBlock) {
	if !nameFormat().MatchString(b.Name) {
		l.errorf(b.Range, "Invalid name", "The name of a job begins with a letter or a digit and has letters, digits, '.', '_' and '-' only, 100 at most.")
	}
	j := Job{
		Name: b.Name, Spec: b.Spec, Hosts: value(b.Hosts, nil), Inventories: value(b.Inventories, nil),
		VariableFiles: value(b.VariableFiles, nil), Variables: l.variables(b.Variables), Set: value(b.Set, nil), Range: b.Range,
		Verify: value(b.Verify, defaultVerify), Cleanup: value(b.Cleanup, defaultCleanup), Ready: value(b.Ready, ""),
		Infrastructure: value(b.Infrastructure, []string{defaultInfrastructure}),
		Timeout:        l.duration(b, "timeout", b.Timeout, defaultTimeout),
		CleanupTimeout: l.duration(b, "cleanup_timeout", b.CleanupTimeout, defaultCleanupTimeout),
		Retries:        l.atLeast(b.Body, "retries", value(b.Retries, 0), 0, b.Retries != nil),
	}
	if j.Cleanup == "" {
		l.errorf(place(b.Body, "cleanup"), "Missing stage", "A job must name the stage that removes what it deployed.")
	}
	j.Remove = l.remove(b)
	j.Schedule = l.schedule(b)
	j.Backup = l.backup(b)
	l.file.Jobs = append(l.file.Jobs, j)
}

// remove returns the names of what the job may remove. Whether they mean something is known only while they exist.
func (l *loader) remove(b jobBlock) []string {
	names := value(b.Remove, nil)
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, ", \t\n") {
			l.errorf(place(b.Body, "remove"), "Invalid name", "%q is no name of what a run removes; give one name in each element, as in remove = [\"web-02\", \"web-03\"].", name)
		}
	}
	return names
}

func (l *loader) schedule(b jobBlock) *schedule.Schedule {
	if b.Schedule == nil {
		if b.TimeZone != nil {
			l.errorf(place(b.Body, "time_zone"), "Missing argument", "A time zone is of no use without a schedule.")
		}
		return nil
	}
	s, err := schedule.Parse(*b.Schedule, value(b.TimeZone, ""))
	if err == nil {
		return s
	}
	at := "schedule"
	if _, zoneless := schedule.Parse(*b.Schedule, ""); zoneless == nil {
		at = "time_zone"
	}
	l.errorf(place(b.Body, at), "Invalid schedule", "This is no schedule: %s.", err)
	return nil
}

// path is a path of the file as an absolute one; empty where there is none.
func (l *loader) path(given *string) string {
	if given == nil || *given == "" {
		return ""
	}
	if filepath.IsAbs(*given) {
		return filepath.Clean(*given)
	}
	return filepath.Join(l.file.Folder, *given)
}

func (l *loader) duration(b jobBlock, name string, given *string, otherwise time.Duration) time.Duration {
	if given == nil {
		return otherwise
	}
	d, err := time.ParseDuration(*given)
	if err != nil || d <= 0 {
		l.errorf(place(b.Body, name), "Invalid duration", `%q is no duration above zero; give one such as "90s", "45m" or "1h30m".`, *given)
	}
	return d
}

func (l *loader) atLeast(body hcl.Body, name string, n, least int, given bool) int {
	if given && n < least {
		l.errorf(place(body, name), "Invalid number", "%s must be at least %d, %d was given.", name, least, n)
	}
	return n
}

func (l *loader) errorf(at hcl.Range, summary, format string, args ...any) {
	l.diags = append(l.diags, diag.Errorf(&at, summary, format, args...)...)
}

// place returns the position of an argument's value.
func place(body hcl.Body, name string) hcl.Range {
	if b, ok := body.(*hclsyntax.Body); ok && b.Attributes[name] != nil {
		return b.Attributes[name].Expr.Range()
	}
	return body.MissingItemRange()
}

func value[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}
