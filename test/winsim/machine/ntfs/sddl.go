package ntfs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sddlAccounts are the two letters that stand for accounts in SDDL (MS-DTYP 2.5.1.1).
func sddlAccounts() map[string]string {
	return map[string]string{
		"SY": "S-1-5-18", "BA": administrators, "BU": "S-1-5-32-545", "WD": "S-1-1-0", "AU": "S-1-5-11", "LS": "S-1-5-19",
		"NS": "S-1-5-20", "CO": "S-1-3-0", "BG": "S-1-5-32-546",
	}
}

// sddlRights are the letters of rights of files.
func sddlRights() map[string]uint32 {
	return map[string]uint32{"FA": FullControl, "FR": 0x120089, "FW": 0x120116, "FX": 0x1200a0, "GA": FullControl}
}

// ParseSDDL reads the owner and the access list of a security descriptor in SDDL.
func ParseSDDL(text string) (Security, error) {
	var s Security
	for rest := text; rest != ""; {
		kind, after, ok := strings.Cut(rest, ":")
		if !ok {
			return s, fmt.Errorf("SDDL %q: a part has no colon", text)
		}
		end := len(after)
		for _, next := range []string{"O:", "G:", "D:", "S:"} {
			if i := strings.Index(after, next); i >= 0 {
				end = min(end, i)
			}
		}
		part := after[:end]
		rest = after[end:]
		var err error
		switch kind {
		case "O":
			s.Owner, err = sddlSID(part)
		case "G", "S":
		case "D":
			err = s.parseDACL(part)
		default:
			err = fmt.Errorf("a part %q", kind)
		}
		if err != nil {
			return s, fmt.Errorf("SDDL %q: %w", text, err)
		}
	}
	return s, nil
}

func sddlSID(text string) (string, error) {
	if sid, ok := sddlAccounts()[text]; ok {
		return sid, nil
	}
	if strings.HasPrefix(text, "S-1-") {
		return text, nil
	}
	return "", fmt.Errorf("an account %q", text)
}

// parseDACL reads the flags and the entries of a list.
func (s *Security) parseDACL(text string) error {
	flags, entries, _ := strings.Cut(text, "(")
	s.Protected = strings.Contains(flags, "P")
	for _, one := range strings.Split(strings.TrimSuffix(entries, ")"), ")(") {
		if one == "" {
			continue
		}
		fields := strings.Split(one, ";")
		if len(fields) != 6 {
			return fmt.Errorf("an entry %q", one)
		}
		sid, err := sddlSID(fields[5])
		if err != nil {
			return err
		}
		rights, err := parseRights(fields[2])
		if err != nil {
			return err
		}
		s.Entries = append(s.Entries, Entry{
			SID: sid, Rights: rights, Deny: fields[0] == "D",
			Files: strings.Contains(fields[1], "OI"), Folders: strings.Contains(fields[1], "CI"), Inherited: strings.Contains(fields[1], "ID"),
		})
	}
	return nil
}

func parseRights(text string) (uint32, error) {
	if number, ok := strings.CutPrefix(text, "0x"); ok {
		n, err := strconv.ParseUint(number, 16, 32)
		return uint32(n), err
	}
	rights := uint32(0)
	for i := 0; i+2 <= len(text); i += 2 {
		one, ok := sddlRights()[text[i:i+2]]
		if !ok {
			return 0, fmt.Errorf("rights %q", text)
		}
		rights |= one
	}
	return rights, nil
}

// SDDL writes the owner and the access list as a security descriptor.
func (s Security) SDDL() string {
	var b strings.Builder
	if s.Owner != "" {
		b.WriteString("O:" + shortSID(s.Owner))
	}
	b.WriteString("D:")
	if s.Protected {
		b.WriteString("P")
	}
	b.WriteString("AI")
	for _, e := range s.Entries {
		kind, flags := "A", ""
		if e.Deny {
			kind = "D"
		}
		for _, f := range []struct {
			on   bool
			text string
		}{{e.Files, "OI"}, {e.Folders, "CI"}, {e.Inherited, "ID"}} {
			if f.on {
				flags += f.text
			}
		}
		rights := fmt.Sprintf("0x%x", e.Rights)
		if e.Rights == FullControl {
			rights = "FA"
		}
		fmt.Fprintf(&b, "(%s;%s;%s;;;%s)", kind, flags, rights, shortSID(e.SID))
	}
	return b.String()
}

func shortSID(sid string) string {
	accounts := sddlAccounts()
	var names []string
	for name, known := range accounts {
		if known == sid {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return sid
	}
	slices.Sort(names)
	return names[0]
}
