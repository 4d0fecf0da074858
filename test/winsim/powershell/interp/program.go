package interp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"kinit/test/winsim/powershell/parser"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// programStage is a native program in a pipeline.
type programStage struct {
	s     *Session
	path  string
	args  arguments
	piped bool
	input bytes.Buffer
	out   Sink
}

func (p *programStage) begin(context.Context) error { return nil }

// process keeps a line of input: text goes to programs as ASCII, which is what
// $OutputEncoding is.
func (p *programStage) process(_ context.Context, v any) error {
	switch value.Base(v).(type) {
	case string, int32, int64, bool:
	default:
		return unknown.New("a %s as the input of a program", value.TypeName(v))
	}
	for _, r := range value.String(v) {
		if r > 127 {
			r = '?'
		}
		p.input.WriteRune(r)
	}
	p.input.WriteString("\r\n")
	return nil
}

// end runs the program to its end. Its output goes to the process' own, byte by byte,
// unless something in the script takes it.
func (p *programStage) end(ctx context.Context) error {
	s := p.s
	words, err := p.words()
	if err != nil {
		return err
	}
	line := CommandLine(words)
	process := Process{
		Path: p.path, Line: line, Args: SplitLine(line), Dir: s.Dir, Env: s.Env.Clone(),
		Stdin: s.job.Stdin, Stdout: s.job.Stdout, Stderr: s.job.Stderr,
	}
	if p.piped {
		process.Stdin = &p.input
	}
	var output, problems bytes.Buffer
	if !s.toHost {
		process.Stdout = &output
	}
	if _, redirected := s.streams['2']; redirected {
		process.Stderr = &problems
	}
	code, err := runProcess(ctx, s.interp.host, process)
	if err != nil {
		return err
	}
	s.global.set("LASTEXITCODE", int32(code))
	s.okay = code == 0
	if err := p.write(ctx, &output); err != nil {
		return err
	}
	return p.complain(ctx, &problems, code)
}

func runProcess(ctx context.Context, host Host, process Process) (uint32, error) {
	running, err := host.Start(ctx, process)
	if err != nil {
		return 0, err
	}
	return running.Wait(ctx)
}

// words are the arguments of the command line before it is quoted.
func (p *programStage) words() ([]string, error) {
	var words []string
	for _, arg := range p.args.list {
		switch {
		case arg.name != "" && !arg.given:
			words = append(words, "-"+arg.name)
		case arg.name != "":
			words = append(words, "-"+arg.name+":"+value.String(arg.value))
		default:
			more, err := wordsOf(arg)
			if err != nil {
				return nil, err
			}
			words = append(words, more...)
		}
	}
	return words, nil
}

// wordsOf are the words of one argument: an array is several, a number is as written.
func wordsOf(arg argument) ([]string, error) {
	if value.IsNumber(arg.value) && arg.text != "" && !strings.HasPrefix(arg.text, "$") && !strings.HasPrefix(arg.text, "(") {
		return []string{arg.text}, nil
	}
	var words []string
	for _, item := range value.Each(arg.value) {
		switch value.Base(item).(type) {
		case nil:
			continue
		case *value.Hashtable, *Block:
			return nil, unknown.New("a %s as an argument of a program", value.TypeName(item))
		}
		words = append(words, value.String(item))
	}
	return words, nil
}

// write sends what the program wrote on, line by line.
func (p *programStage) write(ctx context.Context, output *bytes.Buffer) error {
	for _, line := range lines(p.s.decode(output.Bytes())) {
		if err := p.out(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range all {
		all[i] = strings.TrimSuffix(line, "\r")
	}
	return all
}

// complain turns lines of a redirected standard error into errors, which with
// $ErrorActionPreference = 'Stop' end the script even if they go to $null.
func (p *programStage) complain(ctx context.Context, problems *bytes.Buffer, code uint32) error {
	for _, line := range lines(p.s.decode(problems.Bytes())) {
		r := &value.ErrorRecord{
			Exception: value.NewException("System.Management.Automation.RemoteException", line),
			ID:        "NativeCommandError", Category: "NotSpecified", Target: line,
		}
		r.Place.Command = p.path[strings.LastIndexByte(p.path, '\\')+1:]
		if err := p.s.writeError(ctx, r, p.s.errorPreference()); err != nil {
			return err
		}
	}
	p.s.okay = code == 0
	return nil
}

// CommandLine joins words as Windows PowerShell 5.1 does: words with blanks get quotes,
// quotes inside of words are not escaped, and empty words are lost.
func CommandLine(words []string) string {
	var quoted []string
	for _, word := range words {
		if word == "" {
			continue
		}
		if needsQuotes(word) {
			word = `"` + word + `"`
		}
		quoted = append(quoted, word)
	}
	return strings.Join(quoted, " ")
}

func needsQuotes(word string) bool {
	quotes := 0
	slash := false
	for _, r := range word {
		switch {
		case r == '"' && !slash:
			quotes++
		case (r == ' ' || r == '\t' || r == '\n' || r == '\r') && quotes%2 == 0:
			return true
		}
		slash = r == '\\'
	}
	return false
}

// SplitLine splits the arguments of a command line as programs of C and Go do.
func SplitLine(line string) []string {
	var args []string
	var word strings.Builder
	inWord, inQuotes := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			n := 1
			for i+n < len(line) && line[i+n] == '\\' {
				n++
			}
			i += n - 1
			inWord = true
			if i+1 >= len(line) || line[i+1] != '"' {
				word.WriteString(strings.Repeat(`\`, n))
				continue
			}
			word.WriteString(strings.Repeat(`\`, n/2))
			if n%2 == 1 {
				word.WriteByte('"')
				i++
			}
		case c == '"' && inQuotes && i+1 < len(line) && line[i+1] == '"':
			word.WriteByte('"')
			i++
		case c == '"':
			inQuotes, inWord = !inQuotes, true
		case (c == ' ' || c == '\t') && !inQuotes:
			if inWord {
				args = append(args, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		args = append(args, word.String())
	}
	return args
}

// loadScript reads and parses a script file.
func (s *Session) loadScript(path string) (*Block, error) {
	data, err := s.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err := scriptText(data)
	if err != nil {
		return nil, err
	}
	tree, err := parser.Parse(path, text)
	if err != nil {
		return nil, ParseException(err)
	}
	return &Block{tree: tree}, nil
}

// scriptText decodes a script file: UTF-8 with a mark, or else the code page of the
// machine, of which only ASCII is sure.
func scriptText(data []byte) (string, error) {
	if text, ok := bytes.CutPrefix(data, []byte("\xEF\xBB\xBF")); ok {
		return string(text), nil
	}
	for _, b := range data {
		if b > 127 {
			return "", unknown.New("a script file with other characters than ASCII and without a byte order mark, which 5.1 reads in the machine's code page")
		}
	}
	return string(data), nil
}

// ReadFile is the content of a file of the machine.
func (s *Session) ReadFile(path string) ([]byte, error) {
	file, err := s.interp.host.Files().Open(s.Path(path), Open, Read)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// ReadScript is the text of a script file and its full path; the path is empty where
// there is no such file.
func (i *Interpreter) ReadScript(_ context.Context, name, dir string) (text, path string, err error) {
	path = absolute(dir, name)
	file, err := i.host.Files().Open(path, Open, Read)
	if missing, ok := errors.AsType[*WinError](err); ok && (missing.Code == FileNotFound || missing.Code == PathNotFound) {
		return "", "", nil
	}
	if err != nil {
		return "", path, err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return "", path, err
	}
	text, err = scriptText(data)
	return text, path, err
}
