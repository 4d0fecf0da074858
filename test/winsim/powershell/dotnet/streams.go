package dotnet

import (
	"bytes"
	"errors"
	"io"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// stream is a System.IO.Stream.
type stream struct {
	read   io.Reader
	write  io.Writer
	seek   io.Seeker
	resize func(size int64) error
	close  func() error
	closed bool
}

// memory is the content of a MemoryStream.
type memory struct {
	data []byte
	at   int
}

func (m *memory) Read(p []byte) (int, error) {
	if m.at >= len(m.data) {
		return 0, io.EOF
	}
	n := copy(p, m.data[m.at:])
	m.at += n
	return n, nil
}

func streamTypes() []interp.Type {
	return []interp.Type{
		{Name: "System.IO.Stream", Aliases: []string{"io.stream"}, Values: statics{"Null": constant(streamObject("System.IO.Stream+NullStream", &stream{read: bytes.NewReader(nil), write: io.Discard}))}},
		{Name: "System.IO.MemoryStream", Aliases: []string{"io.memorystream"}, New: static("MemoryStream", 1, 1, newMemoryStream)},
		{Name: "System.IO.StreamReader", Aliases: []string{"io.streamreader"}, New: static("StreamReader", 1, 3, newReader)},
	}
}

func newMemoryStream(c call) (any, error) {
	m := &memory{data: bytes.Clone(c.bytes(0).Data)}
	o := streamObject("System.IO.MemoryStream", &stream{read: m})
	bind(o, "ToArray", method("ToArray", 0, 0, func(call) (any, error) { return &value.Bytes{Data: bytes.Clone(m.data)}, nil }))
	return o, nil
}

// streamObject is a stream as a value.
func streamObject(typeName string, s *stream) *value.Object {
	o := value.NewObject(typeName,
		computed("CanRead", func() any { return s.read != nil && !s.closed }),
		computed("CanWrite", func() any { return s.write != nil && !s.closed }),
		computed("CanSeek", func() any { return s.seek != nil && !s.closed }))
	o.Supertypes = []string{"System.IO.Stream", "System.MarshalByRefObject", "System.IDisposable"}
	o.Data = s
	if s.seek != nil {
		o.Add(&value.Property{Name: "Position", Get: s.position, Set: s.setPosition})
		o.Add(&value.Property{Name: "Length", Get: s.length, ReadOnly: true})
		bind(o, "SetLength", method("SetLength", 1, 1, func(c call) (any, error) { return void(s.setLength(c.num64(0))) }))
	}
	bind(o, "Read", method("Read", 3, 3, s.readMethod))
	bind(o, "Write", method("Write", 3, 3, s.writeMethod))
	bind(o, "CopyTo", method("CopyTo", 1, 2, s.copyTo))
	bind(o, "Flush", method("Flush", 0, 1, func(call) (any, error) { return void(s.open()) }))
	end := func(call) (any, error) { return void(s.end()) }
	bind(o, "Close", method("Close", 0, 0, end))
	bind(o, "Dispose", method("Dispose", 0, 0, end))
	return o
}

func (s *stream) open() error {
	if s.closed {
		return value.NewException("System.ObjectDisposedException", "Cannot access a closed Stream.")
	}
	return nil
}

func (s *stream) end() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.close == nil {
		return nil
	}
	return exception(s.close(), "")
}

func (s *stream) position() (any, error) {
	at, err := s.seek.Seek(0, io.SeekCurrent)
	return at, err
}

func (s *stream) setPosition(v any) error {
	n, err := value.Convert(v, "System.Int64")
	if err != nil {
		return err
	}
	_, err = s.seek.Seek(n.(int64), io.SeekStart)
	return err
}

func (s *stream) length() (any, error) {
	at, err := s.seek.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	end, err := s.seek.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	_, err = s.seek.Seek(at, io.SeekStart)
	return end, err
}

// setLength also moves a position behind the new end to it (FileStream.SetLength, .NET's
// documentation).
func (s *stream) setLength(size int64) error {
	if s.resize == nil {
		return unknown.New("SetLength of this stream")
	}
	if err := s.resize(size); err != nil {
		return exception(err, "")
	}
	at, err := s.seek.Seek(0, io.SeekCurrent)
	if err == nil && at > size {
		_, err = s.seek.Seek(size, io.SeekStart)
	}
	return exception(err, "")
}

// readMethod reads what is there, at least one byte unless the stream has ended.
func (s *stream) readMethod(c call) (any, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	if s.read == nil {
		return nil, value.NewException("System.NotSupportedException", "Stream does not support reading.")
	}
	into, ok := value.Base(c.args[0]).(*value.Bytes)
	if !ok {
		return nil, unknown.New("Stream.Read into a %s", value.TypeName(c.args[0]))
	}
	place, err := part(into.Data, c.num(1), c.num(2))
	if err != nil {
		return nil, err
	}
	n, err := readSome(s.read, place)
	return int32(n), err
}

// readSome is a read that never returns nothing before the end.
func readSome(r io.Reader, place []byte) (int, error) {
	for len(place) > 0 {
		n, err := r.Read(place)
		if n > 0 || errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, exception(err, "")
		}
	}
	return 0, nil
}

func (s *stream) writeMethod(c call) (any, error) {
	b, err := part(c.bytes(0).Data, c.num(1), c.num(2))
	if err != nil {
		return nil, err
	}
	return void(s.put(b))
}

func (s *stream) put(b []byte) error {
	if err := s.open(); err != nil {
		return err
	}
	if s.write == nil {
		return value.NewException("System.NotSupportedException", "Stream does not support writing.")
	}
	_, err := s.write.Write(b)
	return exception(err, "")
}

func (s *stream) copyTo(c call) (any, error) {
	to, ok := data[*stream](c.args[0])
	if !ok {
		return nil, unknown.New("CopyTo a %s", value.TypeName(c.args[0]))
	}
	if err := errors.Join(s.open(), to.open()); err != nil || s.read == nil || to.write == nil {
		return nil, value.NewException("System.NotSupportedException", "Stream does not support reading or writing.")
	}
	buffer := make([]byte, 80<<10)
	for {
		n, err := readSome(s.read, buffer)
		if n == 0 || err != nil {
			return void(err)
		}
		if err := to.put(buffer[:n]); err != nil {
			return nil, err
		}
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
	}
}
