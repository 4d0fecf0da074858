package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
)

// Components of Setup.
const (
	setupComponent  = "Microsoft-Windows-Setup"
	shellComponent  = "Microsoft-Windows-Shell-Setup"
	localeComponent = "Microsoft-Windows-International-Core"
)

// check does what the pass windowsPE does before anything is copied: it looks at disks,
// the image, the licence and the language.
func (a *answers) check(medium machine.Release) error {
	return errors.Join(a.checkDisk(), a.checkImage(medium), a.checkLicence(), a.checkLanguage("windowsPE", localeComponent+"-WinPE"))
}

// checkDisk applies the layout formally: what is installed to must be there, be the last
// to be extended, and be formatted.
func (a *answers) checkDisk() error {
	disks := a.all("windowsPE", setupComponent, "DiskConfiguration/Disk")
	if len(disks) != 1 {
		return fmt.Errorf("there are %d disks in the answers, want 1", len(disks))
	}
	if id, _ := disks[0].value("DiskID"); id != "0" {
		return fmt.Errorf("there is no disk %q", id)
	}
	made := inOrder(disks[0].at("CreatePartitions/CreatePartition"))
	if err := checkPartitions(made); err != nil {
		return err
	}
	to := a.all("windowsPE", setupComponent, "ImageInstall/OSImage/InstallTo")
	if len(to) != 1 || to[0].number("DiskID") != 0 {
		return errors.New("the answers do not say where Windows is installed to")
	}
	target := to[0].number("PartitionID")
	for _, m := range disks[0].at("ModifyPartitions/ModifyPartition") {
		id := m.number("PartitionID")
		if id < 1 || id > len(made) {
			return fmt.Errorf("there is no partition %d to be modified", id)
		}
		if format, _ := m.value("Format"); id == target && format != "NTFS" {
			return fmt.Errorf("partition %d, which Windows is installed to, has the format %q, want NTFS", id, format)
		}
	}
	if target != len(made) {
		return fmt.Errorf("the target of the installation is partition %d of %d, want the last", target, len(made))
	}
	return nil
}

func checkPartitions(made []*element) error {
	var kinds []string
	for i, p := range made {
		kind, _ := p.value("Type")
		kinds = append(kinds, kind)
		extend, _ := p.value("Extend")
		if p.number("Order") != i+1 {
			return fmt.Errorf("partition %d has the order %d", i+1, p.number("Order"))
		}
		if last := i == len(made)-1; (extend == "true") != last || !last && p.number("Size") == 0 {
			return fmt.Errorf("partition %d: only the last is extended, and the others have sizes", i+1)
		}
	}
	for _, layout := range [][]string{{"EFI", "MSR", "Primary"}, {"Primary", "Primary"}} {
		if slices.Equal(kinds, layout) {
			return nil
		}
	}
	return fmt.Errorf("the partitions %v are neither those of UEFI nor of BIOS", kinds)
}

// images are the names of the images of evaluation media, by their indexes from 1.
func images(medium machine.Release) []string {
	year := "20" + strings.TrimPrefix(medium.Short, "2k")
	var all []string
	for _, kind := range []string{"SERVERSTANDARDCORE", "SERVERSTANDARD", "SERVERDATACENTERCORE", "SERVERDATACENTER"} {
		all = append(all, "Windows Server "+year+" "+kind)
	}
	return all
}

func (a *answers) checkImage(medium machine.Release) error {
	key, _ := a.value("windowsPE", setupComponent, "ImageInstall/OSImage/InstallFrom/MetaData/Key")
	value, _ := a.value("windowsPE", setupComponent, "ImageInstall/OSImage/InstallFrom/MetaData/Value")
	switch key {
	case "/IMAGE/NAME":
		if slices.Contains(images(medium), value) {
			return nil
		}
	case "/IMAGE/INDEX":
		if len(value) == 1 && value >= "1" && value <= "4" {
			return nil
		}
	}
	return fmt.Errorf("no images are available: the medium of %s has no %s %q", medium.Name, key, value)
}

// checkLicence wants the terms accepted, and no key: one that is empty stops Setup, and
// any other is not of an evaluation medium.
func (a *answers) checkLicence() error {
	if accepted, _ := a.value("windowsPE", setupComponent, "UserData/AcceptEula"); accepted != "true" {
		return errors.New("the licence terms are not accepted")
	}
	if _, there := a.value("windowsPE", setupComponent, "UserData/ProductKey/Key"); there {
		return errors.New("no images are available: evaluation media take no product key, not even an empty one")
	}
	return nil
}

// languages are those that the simulator speaks.
func languages() []string { return []string{"en-US", "de-DE"} }

// language is the language that the answers ask for.
func (a *answers) language() string {
	text, _ := a.value("windowsPE", localeComponent+"-WinPE", "UILanguage")
	return text
}

func (a *answers) checkLanguage(pass, component string) error {
	if text, _ := a.value(pass, component, "UILanguage"); !slices.Contains(languages(), text) {
		return fmt.Errorf("the language %q is none of the medium's: %v", text, languages())
	}
	return nil
}
