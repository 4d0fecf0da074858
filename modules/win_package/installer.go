package winpackage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/wincmdline"
	"kinit/modules/internal/winfetch"
	"kinit/modules/internal/winpath"
)

// packages is the folder for fetched installers.
const packages = module.WindowsStateFolder + "/packages"

// call is a program with its command line as one text, as Windows requires.
type call struct {
	Program string `json:"program"`
	Line    string `json:"line"`
}

var (
	productCode = regexp.MustCompile(`^\{[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}$`)
	sha256Form  = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
)

func (t *Task) name() string {
	for _, file := range []string{t.Path, t.URL} {
		if file != "" {
			return path.Base(file)
		}
	}
	return cmp.Or(t.Product, t.Creates)
}

func (t *Task) checkAbsent() error {
	if len(t.Uninstall) == 0 && !productCode.MatchString(t.Product) {
		return errors.New("uninstall is missing, want the program that takes it off, or product with the product code of an MSI package")
	}
	return nil
}

func (t *Task) fetched() winfetch.File {
	dest := packages + "/" + strings.ToLower(t.SHA256) + path.Ext(path.Base(t.URL))
	return winfetch.File{URL: t.URL, Dest: dest, SHA256: t.SHA256, CA: t.CAPEM}
}

// installer makes sure that the installer exists, and returns its call. done
// removes a fetched installer.
func (t *Task) installer(ctx context.Context, h module.Host) (c call, done func(), err error) {
	done = func() {}
	if t.Absent() {
		return t.uninstaller(), done, nil
	}
	file := t.Path
	if t.URL != "" {
		fetched := t.fetched()
		if err := h.Files().Mkdir(ctx, packages, module.Attr{}); err != nil {
			return c, done, err
		}
		if err := fetched.Fetch(ctx, h); err != nil {
			return c, done, err
		}
		file = fetched.Dest
		// It can still be in use; the next run does not need it.
		return t.call(file), func() { _ = hostfile.Discard(ctx, h, file) }, nil
	}
	return t.call(file), done, t.verify(ctx, h)
}

func (t *Task) verify(ctx context.Context, h module.Host) error {
	sum, err := winfetch.Sum(ctx, h, t.Path)
	switch {
	case err != nil:
		return err
	case sum == "":
		return fmt.Errorf("there is no installer %s", t.Path)
	case t.SHA256 != "" && sum != strings.ToLower(t.SHA256):
		return fmt.Errorf("sha256 of %s is %s, want %s", t.Path, sum, strings.ToLower(t.SHA256))
	}
	return nil
}

func (t *Task) call(file string) call {
	file = winpath.Native(file)
	if !strings.EqualFold(path.Ext(file), ".msi") {
		return call{file, wincmdline.Join(t.Arguments...)}
	}
	line := []string{"/i", wincmdline.Join(file), "/qn", "/norestart"}
	for _, argument := range t.Arguments {
		name, value, ok := strings.Cut(argument, "=")
		if ok {
			argument = wincmdline.Property(name, value)
		}
		line = append(line, argument)
	}
	return call{"msiexec.exe", strings.Join(line, " ")}
}

func (t *Task) uninstaller() call {
	if len(t.Uninstall) > 0 {
		return call{winpath.Native(t.Uninstall[0]), wincmdline.Join(t.Uninstall[1:]...)}
	}
	return call{"msiexec.exe", "/x " + t.Product + " /qn /norestart"}
}

// meaning returns the meaning of the most frequent exit codes, by Windows Installer's documentation.
func meaning(code int) string {
	known := map[int]string{
		1601: "the service of Windows Installer cannot be reached", 1602: "it was cancelled",
		1603: "a fatal error, which its log describes", unknownProduct: "the product is not installed",
		1618: "another installation is under way", 1619: "the package cannot be opened", 1633: "the package is for another processor",
		1638: "another version of the product is installed", 1641: "the host restarts", 3010: "the host must restart",
	}
	return cmp.Or(known[code], "its documentation says what that means")
}
