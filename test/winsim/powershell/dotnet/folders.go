package dotnet

import (
	"errors"
	"slices"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func folderTypes() []interp.Type {
	return []interp.Type{
		{Name: "System.IO.Directory", Aliases: []string{"io.directory"}, Statics: statics{
			"Exists":          static("Exists", 1, 1, func(c call) (any, error) { return is(c, true), nil }),
			"CreateDirectory": static("CreateDirectory", 1, 2, createFolder),
			"Delete":          static("Delete", 1, 2, deleteFolder),
			"GetFiles":        static("GetFiles", 1, 2, func(c call) (any, error) { return list(c, func(i interp.FileInfo) bool { return !i.Folder }) }),
			"Move":            static("Move", 2, 2, moveFolder),
			"GetDirectories":  static("GetDirectories", 1, 2, func(c call) (any, error) { return list(c, func(i interp.FileInfo) bool { return i.Folder }) }),
			"GetFileSystemEntries": static("GetFileSystemEntries", 1, 2, func(c call) (any, error) {
				return list(c, func(interp.FileInfo) bool { return true })
			}),
		}},
		{Name: "System.IO.Path", Aliases: []string{"io.path"}, Statics: pathStatics()},
		{Name: "System.Security.AccessControl.DirectorySecurity", Aliases: []string{"security.accesscontrol.directorysecurity"}, New: newSecurity("System.Security.AccessControl.DirectorySecurity")},
		{Name: "System.Security.AccessControl.FileSecurity", Aliases: []string{"security.accesscontrol.filesecurity"}, New: newSecurity("System.Security.AccessControl.FileSecurity")},
	}
}

// newSecurity is a descriptor that is set as SDDL, for new folders and files.
func newSecurity(typeName string) interp.Func {
	return static("the constructor of "+typeName, 0, 0, func(call) (any, error) {
		o := value.NewObject(typeName)
		o.Data = ""
		bind(o, "SetSecurityDescriptorSddlForm", method("SetSecurityDescriptorSddlForm", 1, 1, func(c call) (any, error) {
			o.Data = c.str(0)
			return value.Void{}, nil
		}))
		return o, nil
	})
}

// createFolder makes a folder and those above it; one that is there stays as it is.
func createFolder(c call) (any, error) {
	if err := checkPath(c, 0); err != nil {
		return nil, err
	}
	sddl := ""
	if len(c.args) == 2 {
		text, ok := data[string](c.args[1])
		if !ok {
			return nil, unknown.New("CreateDirectory with a %s", value.TypeName(c.args[1]))
		}
		sddl = text
	}
	full := path(c, 0)
	info, err := files(c).Stat(full)
	switch {
	case err == nil && !info.Folder:
		return nil, exception(&interp.WinError{Code: interp.AlreadyExists}, full)
	case err != nil:
		if err := files(c).Mkdir(full, sddl); err != nil {
			return nil, exception(err, full)
		}
	}
	return folderObject(full), nil
}

// folderObject is a DirectoryInfo.
func folderObject(full string) *value.Object {
	o := value.NewObject("System.IO.DirectoryInfo", value.P("FullName", full), value.P("Name", full[strings.LastIndexByte(full, '\\')+1:]))
	o.Text = func() string { return full }
	return o
}

// deleteFolder removes an empty folder, or all that is in it if the second argument is
// true. What is read-only stays and is an error.
func deleteFolder(c call) (any, error) {
	if err := checkPath(c, 0); err != nil {
		return nil, err
	}
	full := path(c, 0)
	info, err := files(c).Stat(full)
	switch {
	case err != nil:
		return nil, exception(&interp.WinError{Code: interp.PathNotFound}, full)
	case !info.Folder:
		e := value.NewException("System.IO.IOException", "The directory name is invalid.\r\n")
		e.HResult = value.Win32HResult(267)
		return nil, e
	case len(c.args) == 2 && c.truth(1):
		return void(exception(removeAll(files(c), full), ""))
	}
	return void(exception(files(c).Remove(full), full))
}

func removeAll(fs interp.FileSystem, folder string) error {
	inside, err := fs.List(folder)
	if err != nil {
		return err
	}
	var failed error
	for _, info := range inside {
		remove := fs.Remove
		if info.Folder {
			remove = func(path string) error { return removeAll(fs, path) }
		}
		failed = errors.Join(failed, remove(folder+`\`+info.Name))
	}
	if failed != nil {
		return failed
	}
	return fs.Remove(folder)
}

func list(c call, wanted func(i interp.FileInfo) bool) (any, error) {
	pattern := "*"
	if len(c.args) == 2 {
		pattern = c.str(1)
	}
	if pattern != "*" && !strings.HasPrefix(pattern, "*.") || strings.Count(pattern, "*") > 1 {
		return nil, unknown.New("the pattern %q of files", pattern)
	}
	if err := checkPath(c, 0); err != nil {
		return nil, err
	}
	all, err := files(c).List(path(c, 0))
	if e, ok := errors.AsType[*interp.WinError](err); ok && e.Code == interp.FileNotFound {
		err = &interp.WinError{Code: interp.PathNotFound, Path: e.Path}
	}
	if err != nil {
		return nil, exception(err, path(c, 0))
	}
	w := value.NewWildcard(pattern, false)
	var names []string
	for _, info := range all {
		if wanted(info) && w.Match(info.Name) {
			names = append(names, strings.TrimSuffix(c.str(0), `\`)+`\`+info.Name)
		}
	}
	slices.Sort(names)
	return value.NewStrings(names...), nil
}

func pathStatics() statics {
	on := func(name string, f func(path string) any) interp.Func {
		return static(name, 1, 1, func(c call) (any, error) { return f(c.str(0)), nil })
	}
	return statics{
		"Combine":          static("Combine", 2, 4, combine),
		"GetFileName":      on("GetFileName", func(p string) any { return fileName(p) }),
		"GetDirectoryName": on("GetDirectoryName", folderName),
	}
}

func rooted(p string) bool {
	return strings.HasPrefix(p, `\`) || strings.HasPrefix(p, "/") || len(p) >= 2 && p[1] == ':'
}

func root(p string) string {
	switch {
	case len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/'):
		return p[:2] + `\`
	case len(p) >= 2 && p[1] == ':':
		return p[:2]
	case strings.HasPrefix(p, `\`):
		return `\`
	}
	return ""
}

func fileName(p string) string { return p[strings.LastIndexAny(p, `\/:`)+1:] }

// folderName is the folder of a path: $null of a root.
func folderName(p string) any {
	p = strings.ReplaceAll(p, "/", `\`)
	if p == root(p) {
		return nil
	}
	at := strings.LastIndexByte(p, '\\')
	if at < 0 {
		return ""
	}
	if r := root(p); at < len(r) {
		return r
	}
	return strings.TrimRight(p[:at], `\`)
}

func combine(c call) (any, error) {
	out := ""
	for i := range c.args {
		next := c.str(i)
		switch {
		case next == "":
		case out == "" || rooted(next):
			out = next
		case strings.HasSuffix(out, `\`) || strings.HasSuffix(out, "/") || strings.HasSuffix(out, ":"):
			out += next
		default:
			out += `\` + next
		}
	}
	return out, nil
}
