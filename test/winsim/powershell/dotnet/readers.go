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
