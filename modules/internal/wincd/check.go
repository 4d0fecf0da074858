package wincd

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kinit/engine/secret"
)

// maxHostname is the length of NetBIOS names without their type.
const maxHostname = 15

// years are the releases by the folders that virtio-win has for them.
var years = map[string]string{"2k19": "2019", "2k22": "2022", "2k25": "2025"}

// Title names what is installed, for people.
func (m Media) Title() string {
	if m.ImageIndex != 0 {
		return fmt.Sprintf("image %d", m.ImageIndex)
	}
	return m.imageName()
}

// imageName is the name of the image, empty where its number is given. The default is
// Datacenter without a desktop, which is smaller and enough for a node.
func (m Media) imageName() string {
	if m.ImageName == "" && m.ImageIndex == 0 {
		return "Windows Server " + years[m.Edition] + " SERVERDATACENTERCORE"
	}
	return m.ImageName
}

// Check finds mistakes.
func (m Media) Check() error {
	_, known := years[m.Edition]
	switch {
	case !known:
		return fmt.Errorf("edition %q: expected \"2k19\", \"2k22\" or \"2k25\"", m.Edition)
	case m.ImageName != "" && m.ImageIndex != 0:
		return errors.New("expected image_name or image_index, not both")
	case m.ImageIndex < 0:
		return fmt.Errorf("image_index %d: expected a number from 1", m.ImageIndex)
	}
	return nil
}

var (
	// hostnameForm matches the characters that Windows takes in a name.
	hostnameForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
	filePath     = regexp.MustCompile(`^[A-Za-z]:/[^<>:"\\|?*]+$`)
)

// CheckHostname reports whether Windows takes a name. It does not take digits alone.
func CheckHostname(name string) error {
	valid := hostnameForm.MatchString(name)
	if !valid || len(name) > maxHostname || strings.Trim(name, "0123456789") == "" {
		return fmt.Errorf("hostname %q: expected up to %d letters, digits and hyphens, not digits alone", name, maxHostname)
	}
	return nil
}

// CheckPassword holds a password to Windows' own rule: three of four classes, and not
// the user's name. The error never shows it.
func CheckPassword(password secret.Value) error {
	text := password.Reveal()
	classes := []func(rune) bool{unicode.IsLower, unicode.IsUpper, unicode.IsDigit, isOther}
	found := 0
	for _, class := range classes {
		if strings.ContainsFunc(text, class) {
			found++
		}
	}
	switch {
	case utf8.RuneCountInString(text) < 8 || utf8.RuneCountInString(text) > 127:
		return errors.New("password: expected 8 to 127 characters")
	case found < 3:
		return errors.New("password: expected three of small letters, capitals, digits and other characters")
	case strings.Contains(strings.ToLower(text), "administrator"):
		return errors.New("password: Windows refuses one that contains the user's name, Administrator")
	case strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("password: expected no control characters")
	}
	return nil
}

func isOther(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// CheckPath reports whether a path is one of a Windows computer, written with slashes.
func CheckPath(path string) error {
	if !filePath.MatchString(path) ||
		slices.Contains(strings.Split(path, "/"), "..") || strings.HasSuffix(path, "/") {
		return fmt.Errorf("%q: expected a path such as \"C:/ProgramData/site/note.txt\"", path)
	}
	return nil
}
