package items

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"
	"unicode/utf16"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (i module) contents() []interp.Cmdlet {
	encoding := cmdlet.Text("Encoding")
	text := cmdlet.At(2, cmdlet.Piped(interp.Parameter{Name: "Value", Type: "object[]"}))
	target := []interp.Parameter{{Name: "Path", Type: "string[]", Position: 1}, {Name: "LiteralPath", Aliases: []string{"PSPath"}, Type: "string[]"}}
	return []interp.Cmdlet{
		{Name: "Get-Content", Aliases: []string{"gc", "cat", "type"}, Run: i.getContent, Parameters: append(pathParameters(), encoding,
			cmdlet.Switch("Raw"), interp.Parameter{Name: "Tail", Aliases: []string{"Last"}, Type: "int"},
			interp.Parameter{Name: "TotalCount", Aliases: []string{"First", "Head"}, Type: "int"})},
		{Name: "Set-Content", Aliases: []string{"sc"}, Confirms: true, Begin: begin, Run: collect, End: i.setContent(ntfs.Create),
			Parameters: append(target, text, encoding, cmdlet.Switch("Force"), cmdlet.Switch("NoNewline"))},
		{Name: "Add-Content", Aliases: []string{"ac"}, Confirms: true, Begin: begin, Run: collect, End: i.setContent(ntfs.Append),
			Parameters: append(target, text, encoding, cmdlet.Switch("Force"), cmdlet.Switch("NoNewline"))},
		{Name: "Get-FileHash", Run: i.fileHash, Parameters: append(pathParameters(),
			interp.Parameter{Name: "Algorithm", Type: "string", Values: []string{"SHA1", "SHA256", "SHA384", "SHA512", "MD5"}})},
	}
}

// decode reads the text of a file: by the mark at its beginning, else in an encoding.
func decode(b []byte, encoding string) (string, error) {
	switch {
	case strings.HasPrefix(string(b), "\xef\xbb\xbf"):
		return string(b[3:]), nil
	case strings.HasPrefix(string(b), "\xff\xfe"):
		return fromUTF16(b[2:]), nil
	}
	switch strings.ToLower(encoding) {
	case "utf8":
		return string(b), nil
	case "unicode":
		return fromUTF16(b), nil
	case "", "default", "ascii":
		for _, c := range b {
			if c > 127 {
				return "", unknown.New("a text with other characters than ASCII that is read without -Encoding UTF8")
			}
		}
		return string(b), nil
	}
	return "", unknown.New("the encoding %s", encoding)
}

func fromUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for n := range units {
		units[n] = uint16(b[2*n]) | uint16(b[2*n+1])<<8
	}
	return string(utf16.Decode(units))
}

// encode writes a text in an encoding; those of Unicode have a mark at the beginning of
// a file.
func encode(text, encoding string, atStart bool) ([]byte, error) {
	switch strings.ToLower(encoding) {
	case "utf8":
		if atStart {
			text = "\ufeff" + text
		}
		return []byte(text), nil
	case "", "default", "ascii":
		for _, r := range text {
			if r > 127 {
				return nil, unknown.New("a text with other characters than ASCII that is written without -Encoding UTF8")
			}
		}
		return []byte(text), nil
	}
	return nil, unknown.New("the encoding %s", encoding)
}

func (i module) getContent(ctx context.Context, c *interp.Call) error {
	return i.eachFile(ctx, c, func(info ntfs.Info) error { return i.readText(ctx, c, info) })
}

func (i module) readText(ctx context.Context, c *interp.Call, info ntfs.Info) error {
	b, err := i.m.Files.ReadFile(info.Path)
	if err != nil {
		return i.failed(ctx, c, info.Path, err)
	}
	text, err := decode(b, c.String("Encoding"))
	if err != nil {
		return err
	}
	if text == "" {
		return nil
	}
	if c.Bool("Raw") {
		o := value.Decorate(text)
		o.Add(&value.Property{Name: "ReadCount", Value: int64(1), Note: true})
		return c.WriteObject(ctx, o)
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if n := int(c.Int("Tail")); c.Has("Tail") {
		lines = lines[max(0, len(lines)-n):]
	}
	if n := int(c.Int("TotalCount")); c.Has("TotalCount") {
		lines = lines[:min(n, len(lines))]
	}
	for i, line := range lines {
		o := value.Decorate(line)
		o.Add(&value.Property{Name: "ReadCount", Value: int64(i + 1), Note: true}) // and others, which are not modelled
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// begin and collect gather what is piped into a cmdlet that writes a file at the end.
func begin(_ context.Context, c *interp.Call) error {
	c.State = &[]string{}
	return nil
}

func collect(_ context.Context, c *interp.Call) error {
	lines := c.State.(*[]string)
	for _, item := range cmdlet.Items(c.Value("Value")) {
		*lines = append(*lines, value.Local(item))
	}
	return nil
}

func (i module) setContent(mode ntfs.Mode) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		all, _ := paths(c)
		end := "\r\n"
		if c.Bool("NoNewline") {
			end = ""
		}
		text := ""
		for _, line := range *c.State.(*[]string) {
			text += line + end
		}
		return i.each(c, all, func(l location) error {
			if l.provider != fileSystem || value.HasWildcards(l.asked) && !c.Has("LiteralPath") {
				return unknown.New("%s %s", c.Cmdlet.Name, l.asked)
			}
			return i.writeText(ctx, c, l.path, text, mode)
		})
	}
}

func (i module) writeText(ctx context.Context, c *interp.Call, path, text string, mode ntfs.Mode) error {
	file, err := i.m.Files.Open(path, mode, ntfs.Writing, ntfs.ShareRead)
	if err != nil {
		return i.failed(ctx, c, path, err)
	}
	size, err := file.Size()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	b, err := encode(text, c.String("Encoding"), size == 0)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = file.Write(b)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return i.failed(ctx, c, path, err)
}

func (i module) fileHash(ctx context.Context, c *interp.Call) error {
	algorithm := cmp.Or(strings.ToUpper(c.String("Algorithm")), "SHA256")
	all, literal := paths(c)
	return i.each(c, all, func(l location) error {
		return i.filesAt(ctx, c, l, literal, func(info ntfs.Info) error {
			if info.IsDir() {
				return nil
			}
			sum, err := i.sum(info.Path, algorithm)
			if err != nil {
				return i.failed(ctx, c, info.Path, err)
			}
			return c.WriteObject(ctx, value.NewObject("Microsoft.Powershell.Utility.FileHash",
				value.P("Algorithm", algorithm), value.P("Hash", sum), value.P("Path", info.Path)))
		})
	})
}

// sum is a file's checksum in upper-case hexadecimal.
func (i module) sum(path, algorithm string) (string, error) {
	hashes := map[string]func() hash.Hash{"MD5": md5.New, "SHA1": sha1.New, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New}
	file, err := i.m.Files.Open(path, ntfs.Existing, ntfs.Reading, ntfs.ShareRead|ntfs.ShareWrite)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := hashes[algorithm]()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return strings.ToUpper(hex.EncodeToString(h.Sum(nil))), nil
}
