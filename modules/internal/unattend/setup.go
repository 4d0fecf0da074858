package unattend

import "strconv"

// onError lets Setup ask a person only where an answer does not work.
const onError = "OnError"

// locales are the settings of the language.
func (s System) locales() []element {
	return []element{
		set("InputLocale", s.Locale), set("SystemLocale", s.Locale), set("UILanguage", s.Locale), set("UserLocale", s.Locale),
	}
}

// languageWinPE is the language of Setup and, with it, of the system.
func (s System) languageWinPE() element {
	ui := in("SetupUILanguage", set("UILanguage", s.Locale))
	return component("Microsoft-Windows-International-Core-WinPE", append([]element{ui}, s.locales()...)...)
}

// language is that of a system that starts for the first time again.
func (s System) language() element {
	return component("Microsoft-Windows-International-Core", s.locales()...)
}

// driversWinPE loads drivers before there is a disk to be seen, and puts them into
// the system's store.
func (i Install) driversWinPE() element {
	var paths []element
	for n, path := range i.DriverPaths {
		paths = append(paths, add("PathAndCredentials", set("Path", path)).with("wcm:keyValue", strconv.Itoa(n+1)))
	}
	return component("Microsoft-Windows-PnpCustomizationsWinPE", in("DriverPaths", paths...))
}

// setup is the installation itself.
func (i Install) setup() element {
	partitions := i.partitions()
	image := add("MetaData", set("Key", "/IMAGE/INDEX"), set("Value", i.ImageIndex))
	if i.ImageName != "" {
		image = add("MetaData", set("Key", "/IMAGE/NAME"), set("Value", i.ImageName))
	}
	var first element
	if i.OldSetup {
		first = run(command{path: `reg.exe add HKLM\SYSTEM\Setup /v CmdLine /t REG_SZ /d X:\sources\setup.exe /f`})
	}
	return component("Microsoft-Windows-Setup",
		in("DiskConfiguration", disk(partitions), set("WillShowUI", onError)),
		in("DynamicUpdate", set("Enable", false)),
		in("ImageInstall", in("OSImage",
			in("InstallFrom", image),
			in("InstallTo", set("DiskID", 0), set("PartitionID", len(partitions))), // that of Windows is the last
			set("WillShowUI", onError),
		)),
		first,
		in("UserData",
			set("AcceptEula", true),
			// A key that is there and empty stops Setup on evaluation media, and one of another medium
			// finds no image.
			in("ProductKey", given("Key", i.ProductKey.Reveal()), set("WillShowUI", onError)),
		),
	)
}

// The sizes of the partitions that firmware starts from, in MB of 2^20 bytes.
const (
	efiSize      = 100 // what Microsoft's own layout has
	reservedSize = 16  // likewise, for what manages partitions
	startSize    = 500
)

// partition is a partition of the first disk.
type partition struct {
	kind                  string
	size                  int // MB of 2^20 bytes; 0 takes what is left
	active                bool
	format, label, letter string
}

// partitions of a GPT disk are what the firmware reads, a reserved one, and Windows; those of an MBR
// disk are an active one that starts Windows, and Windows.
func (i Install) partitions() []partition {
	windows := partition{kind: "Primary", format: "NTFS", label: "Windows", letter: "C"}
	if i.UEFI {
		return []partition{{kind: "EFI", size: efiSize, format: "FAT32", label: "EFI"}, {kind: "MSR", size: reservedSize}, windows}
	}
	return []partition{{kind: "Primary", size: startSize, active: true, format: "NTFS", label: "System"}, windows}
}

// disk wipes and partitions the first disk. Both lists are numbered from 1.
func disk(partitions []partition) element {
	var create, modify []element
	for n, p := range partitions {
		order := set("Order", n+1)
		create = append(create, add("CreatePartition",
			given("Extend", p.size == 0), order, given("Size", p.size), set("Type", p.kind)))
		modify = append(modify, add("ModifyPartition",
			given("Active", p.active), given("Format", p.format), given("Label", p.label), given("Letter", p.letter),
			order, set("PartitionID", n+1)))
	}
	return add("Disk", in("CreatePartitions", create...), set("DiskID", 0), in("ModifyPartitions", modify...), set("WillWipeDisk", true))
}

// command is a command of Setup.
type command struct {
	path   string
	reboot string // whether Setup restarts after it; empty for never
}

// run runs commands in their order.
func run(commands ...command) element {
	var all []element
	for n, c := range commands {
		all = append(all, add("RunSynchronousCommand", set("Order", n+1), set("Path", c.path), given("WillReboot", c.reboot)))
	}
	return in("RunSynchronous", all...)
}
