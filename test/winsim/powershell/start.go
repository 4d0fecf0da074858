package powershell

import (
	"context"
	"encoding/base64"
	"io"
	"strings"

	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// badParameter is the exit code of powershell.exe for a command line that it refuses,
// 0xFFFD0000.
const badParameter = 0xFFFD0000

// Start runs powershell.exe with the words behind its name: -EncodedCommand, -Command or
// -File and the flags before them, in the short forms that the real one takes. The job
// has the streams and the surroundings; its script is what the words say.
func Start(ctx context.Context, i *Interpreter, words []string, job Job) (uint32, error) {
	l := line{words: words}
	if err := l.parse(); err != nil {
		return 0, err
	}
	if l.refusal == "" {
		if err := l.read(ctx, i, job); err != nil {
			return 0, err
		}
	}
	if l.refusal != "" {
		_, err := io.WriteString(job.Stderr, l.refusal+"\r\n")
		return badParameter, err
	}
	job.Script, job.File, job.Args, job.Encoded = l.script, l.file, l.args, l.encoded
	return i.Run(ctx, job)
}

// line is a command line of powershell.exe.
type line struct {
	words   []string
	script  string
	file    string
	args    []string
	encoded bool
	stdin   bool // the script is the standard input
	refusal string
}

func (l *line) next() (string, bool) {
	if len(l.words) == 0 {
		return "", false
	}
	word := l.words[0]
	l.words = l.words[1:]
	return word, true
}

// flag is a parameter of powershell.exe with the shortest form that it is known by.
type flag struct {
	name, shortest string
	values         int
}

// flags are those that come before the command, with the number of values they have.
func flags() []flag {
	return []flag{
		{"noexit", "noe", 0}, {"nologo", "nol", 0}, {"noprofile", "nop", 0}, {"noninteractive", "noni", 0},
		{"sta", "s", 0}, {"mta", "mta", 0}, {"version", "v", 1}, {"executionpolicy", "ex", 1}, {"ep", "ep", 1},
		{"inputformat", "i", 1}, {"if", "if", 1}, {"outputformat", "o", 1}, {"of", "of", 1}, {"windowstyle", "w", 1},
		{"configurationname", "config", 1},
	}
}

func (f flag) matches(word string) bool {
	return strings.HasPrefix(f.name, word) && len(word) >= len(f.shortest)
}

func (l *line) parse() error {
	for {
		word, ok := l.next()
		if !ok {
			return unknown.New("powershell.exe without a command, which is interactive")
		}
		name := strings.ToLower(strings.TrimLeft(word, "-/"))
		if name == strings.ToLower(word) {
			l.words = append([]string{word}, l.words...)
			l.command()
			return nil
		}
		if done, err := l.action(name); done || err != nil {
			return err
		}
		values, ok := countOf(name)
		if !ok {
			return unknown.New("the parameter %s of powershell.exe", word)
		}
		if name == "noexit" || values > len(l.words) {
			return unknown.New("the parameter %s of powershell.exe", word)
		}
		l.words = l.words[values:]
	}
}

func countOf(name string) (int, bool) {
	for _, f := range flags() {
		if f.matches(name) {
			return f.values, true
		}
	}
	return 0, false
}

// action takes a parameter that says what to run.
func (l *line) action(name string) (bool, error) {
	switch {
	case flag{"encodedcommand", "e", 1}.matches(name), name == "ec":
		l.decode()
	case flag{"command", "c", 1}.matches(name):
		l.command()
	case flag{"file", "f", 1}.matches(name):
		l.script, l.args = "", nil
		file, ok := l.next()
		if !ok {
			l.refusal = "The -File parameter requires an argument. Specify the path to a Windows PowerShell script file."
			return true, nil
		}
		if file == "-" {
			return true, unknown.New("powershell.exe -File -")
		}
		l.file, l.args = file, l.words
	case flag{"encodedarguments", "encodeda", 1}.matches(name), name == "ea":
		return true, unknown.New("-EncodedArguments")
	default:
		return false, nil
	}
	return true, nil
}

// command takes all the words that are left as the text of a script.
func (l *line) command() {
	switch {
	case len(l.words) == 0:
		l.refusal = "Cannot process the command because of a missing parameter. A command must follow -Command."
	case l.words[0] == "-" && len(l.words) == 1:
		l.stdin = true
	case l.words[0] == "-":
		l.refusal = "'-' was specified with the -Command parameter; no other arguments to -Command are permitted."
	default:
		l.script = strings.Join(l.words, " ")
	}
}

// decode takes the base64 of a script in UTF-16.
func (l *line) decode() {
	word, ok := l.next()
	if !ok {
		l.refusal = "Cannot process the command because of a missing parameter. A command must follow -EncodedCommand."
		return
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(word))
	if err != nil {
		l.refusal = "Cannot process the command because the value specified with -EncodedCommand is not properly encoded. The value must be Base64 encoded."
		return
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
	}
	l.script, l.encoded = value.FromUnits(units), true
}

// read reads the script from where it is.
func (l *line) read(ctx context.Context, i *Interpreter, job Job) error {
	switch {
	case l.stdin:
		text, err := io.ReadAll(job.Stdin)
		l.script = string(text)
		return err
	case l.file == "":
		return nil
	}
	text, path, err := i.ReadScript(ctx, l.file, job.Dir)
	if path == "" && err == nil {
		l.refusal = "The argument '" + l.file + "' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter."
	}
	l.script, l.file = text, path
	return err
}
