package dotnet

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// newReader is a StreamReader of a stream or a file.
func newReader(c call) (any, error) {
	source, own, err := streamOf(c, modeOpen, accessRead)
	if err != nil {
		return nil, err
	}
	return readerObject(source, own), nil
}

// streamOf is the first argument as a stream, itself or the file of its path, with the
// encoding that the second one says.
func streamOf(c call, mode interp.OpenMode, access interp.Access) (*stream, *codec, error) {
	s, ok := data[*stream](c.args[0])
	if !ok {
		if _, isText := value.Base(c.args[0]).(string); !isText {
			return nil, nil, unknown.New("a reader or writer of a %s", value.TypeName(c.args[0]))
		}
		file, err := openFile(c, c.str(0), mode, access)
		if err != nil {
			return nil, nil, err
		}
		s = file
	}
	own, err := encodingAt(c, 1)
	return s, own, err
}

// readerObject is a StreamReader. A mark at the beginning of UTF-8 is no text.
func readerObject(source *stream, own *codec) *value.Object {
	r := bufio.NewReader(source.read)
	rest := func() (string, error) {
		b, err := io.ReadAll(r)
		if err != nil {
			return "", exception(err, "")
		}
		text, err := own.decode(b)
		return strings.TrimPrefix(text, "\uFEFF"), err
	}
	o := value.NewObject("System.IO.StreamReader",
		value.P("BaseStream", streamObject("System.IO.Stream", source)),
		computed("EndOfStream", func() any {
			_, err := r.Peek(1)
			return err != nil
		}))
	o.Supertypes = []string{"System.IO.TextReader"}
	bind(o, "ReadToEnd", method("ReadToEnd", 0, 0, func(call) (any, error) { return rest() }))
	bind(o, "ReadLine", method("ReadLine", 0, 0, func(call) (any, error) { return readLine(r, own) }))
	bind(o, "ReadToEndAsync", method("ReadToEndAsync", 0, 0, func(call) (any, error) {
		return task(func() (any, error) { return rest() }), nil
	}))
	end := func(call) (any, error) { return void(source.end()) }
	bind(o, "Close", method("Close", 0, 0, end))
	bind(o, "Dispose", method("Dispose", 0, 0, end))
	return o
}

func readLine(r *bufio.Reader, own *codec) (any, error) {
	if own.text != nil {
		return nil, unknown.New("ReadLine in the encoding %s", own.name)
	}
	line, err := r.ReadString('\n')
	if line == "" && errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, exception(err, "")
	}
	return own.decode([]byte(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")))
}

// task is a Task that has begun: its result is waited for when it is asked for.
func task(run func() (any, error)) *value.Object {
	type outcome struct {
		v   any
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := run()
		done <- outcome{v, err}
	}()
	var end *outcome
	result := func() (any, error) {
		if end == nil {
			got := <-done
			end = &got
		}
		return end.v, end.err
	}
	o := value.NewObject("System.Threading.Tasks.Task", &value.Property{Name: "Result", Get: result, ReadOnly: true})
	bind(o, "Wait", method("Wait", 0, 0, func(call) (any, error) {
		_, err := result()
		return void(err)
	}))
	bind(o, "GetAwaiter", method("GetAwaiter", 0, 0, func(call) (any, error) {
		awaiter := value.NewObject("System.Runtime.CompilerServices.TaskAwaiter")
		bind(awaiter, "GetResult", method("GetResult", 0, 0, func(call) (any, error) { return result() }))
		return awaiter, nil
	}))
	return o
}

// newWriter is a StreamWriter of a stream or a file.
func newWriter(c call) (any, error) {
	if len(c.args) > 1 {
		if _, isBool := value.Base(c.args[1]).(bool); isBool {
			return nil, unknown.New("a StreamWriter that appends to a file")
		}
	}
	target, own, err := streamOf(c, modeCreate, accessWrite)
	if err != nil {
		return nil, err
	}
	return writerObject(target, own), nil
}

// writerObject is a StreamWriter. It writes the mark of its encoding before its first
// text, or when it is flushed or closed without any, as .NET Framework does.
func writerObject(target *stream, own *codec) *value.Object {
	var pending []byte
	marked := false
	flush := func() error {
		if !marked {
			pending = append(append([]byte{}, own.preamble...), pending...)
			marked = true
		}
		b := pending
		pending = nil
		if len(b) == 0 {
			return nil
		}
		return target.put(b)
	}
	add := func(text string) (any, error) {
		pending = append(pending, own.encode(text)...)
		return value.Void{}, nil
	}
	o := value.NewObject("System.IO.StreamWriter",
		value.P("BaseStream", streamObject("System.IO.Stream", target)), value.P("AutoFlush", false), value.P("NewLine", "\r\n"))
	o.Supertypes = []string{"System.IO.TextWriter"}
	written := func(c call, text string) (any, error) {
		if _, err := add(text); err != nil {
			return nil, err
		}
		if value.Truth(o.Property("AutoFlush")) {
			return void(flush())
		}
		return value.Void{}, nil
	}
	bind(o, "Write", method("Write", 1, 1, func(c call) (any, error) { return written(c, charsOrText(c.args[0])) }))
	bind(o, "WriteLine", method("WriteLine", 0, 1, func(c call) (any, error) {
		return written(c, charsOf(c.args)+value.String(o.Property("NewLine")))
	}))
	bind(o, "Flush", method("Flush", 0, 0, func(call) (any, error) { return void(flush()) }))
	end := func(call) (any, error) {
		if target.closed {
			return value.Void{}, nil
		}
		err := flush()
		return void(errors.Join(err, target.end()))
	}
	bind(o, "Close", method("Close", 0, 0, end))
	bind(o, "Dispose", method("Dispose", 0, 0, end))
	return o
}
