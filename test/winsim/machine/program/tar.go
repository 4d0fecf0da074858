package program

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// unpacking is what tar.exe is told to do.
type unpacking struct {
	archive, folder string
	strip           int      // leading parts of names that are left out
	members         []string // only these, and what is in them; all when there are none
}

// untar is tar.exe -xf archive [-C folder] [--strip-components n] [member ...], libarchive's
// bsdtar: archives as they are, or compressed with gzip.
func untar(_ context.Context, p *machine.Process) uint32 {
	u, ok := parseTar(p)
	if !ok {
		return unsupported(p)
	}
	content, err := p.Machine.Files.ReadFile(ntfs.Join(p.Dir, u.archive))
	if err == nil {
		err = u.extract(p.Machine.Files, content)
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "tar.exe: %v\r\n", err)
		return 1
	}
	return 0
}

// parseTar reads the command line; false for one that is not known.
func parseTar(p *machine.Process) (unpacking, bool) {
	u := unpacking{folder: p.Dir}
	for i := 0; i < len(p.Args); i++ {
		next := func() string {
			if i++; i < len(p.Args) {
				return p.Args[i]
			}
			return ""
		}
		switch word := p.Args[i]; {
		case word == "-x", word == "-z":
		case word == "-xf", word == "-xzf", word == "xf", word == "-xvf", word == "-f":
			u.archive = next()
		case word == "-C":
			u.folder = ntfs.Join(p.Dir, next())
		case strings.HasPrefix(word, "--strip-components"):
			_, number, ok := strings.Cut(word, "=")
			if !ok {
				number = next()
			}
			var err error
			if u.strip, err = strconv.Atoi(number); err != nil {
				return u, false
			}
		case strings.HasPrefix(word, "-"), strings.ContainsAny(word, "*?["):
			return u, false
		default:
			u.members = append(u.members, path.Clean(word))
		}
	}
	return u, u.archive != ""
}

// extract unpacks an archive. A member that is not in it is a failure once all others are
// there.
func (u unpacking) extract(fs *ntfs.FS, content []byte) error {
	var source io.Reader = bytes.NewReader(content)
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(source)
		if err != nil {
			return err
		}
		source = unzipped
	}
	missing := slices.Clone(u.members)
	reader := tar.NewReader(source)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		within := func(member string) bool { return inMember(path.Clean(header.Name), member) }
		if len(u.members) > 0 && !slices.ContainsFunc(u.members, within) {
			continue
		}
		missing = slices.DeleteFunc(missing, within)
		if err := u.entry(fs, header, reader); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: Not found in archive", missing[0])
	}
	return nil
}

// inMember reports whether an entry is a member or in one.
func inMember(name, member string) bool { return name == member || strings.HasPrefix(name, member+"/") }

// entry unpacks one entry.
func (u unpacking) entry(fs *ntfs.FS, header *tar.Header, content io.Reader) error {
	names := strings.Split(strings.Trim(header.Name, "/"), "/")
	if len(names) <= u.strip {
		return nil
	}
	target := ntfs.Join(u.folder, strings.Join(names[u.strip:], `\`))
	switch header.Typeflag {
	case tar.TypeDir:
		return fs.Mkdir(target)
	case tar.TypeReg:
		return unpack(fs, target, content)
	}
	return fmt.Errorf("%s: an entry of type %q is not simulated", header.Name, header.Typeflag)
}

func unpack(fs *ntfs.FS, target string, from io.Reader) error {
	if err := fs.Mkdir(target[:strings.LastIndexByte(target, '\\')]); err != nil {
		return err
	}
	file, err := fs.Open(target, ntfs.Create, ntfs.Writing, ntfs.ShareNone)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
