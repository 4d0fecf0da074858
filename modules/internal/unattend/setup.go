package unattend

import "strconv"

// internationalWinPE is the language of Setup and, with it, of the system.
type internationalWinPE struct {
	identity
	SetupUILanguage struct{ UILanguage string }
	locales
}

// international is the language of a system that starts for the first time again.
type international struct {
	identity
	locales
}

type locales struct{ InputLocale, SystemLocale, UILanguage, UserLocale string }

func (s System) locales() locales {
	return locales{InputLocale: s.Locale, SystemLocale: s.Locale, UILanguage: s.Locale, UserLocale: s.Locale}
}

func (s System) internationalWinPE() internationalWinPE {
	i := internationalWinPE{identity: named("Microsoft-Windows-International-Core-WinPE"), locales: s.locales()}
	i.SetupUILanguage.UILanguage = s.Locale
	return i
}

func (s System) international() international {
	return international{identity: named("Microsoft-Windows-International-Core"), locales: s.locales()}
}

// driversWinPE loads drivers before there is a disk to be seen, and puts them into
// the system's store.
type driversWinPE struct {
	identity
	DriverPaths struct{ PathAndCredentials []driverPath }
}

type driverPath struct {
	Action string `xml:"wcm:action,attr"`
	Key    string `xml:"wcm:keyValue,attr"`
	Path   string
}

func (i Install) driversWinPE() driversWinPE {
	d := driversWinPE{identity: named("Microsoft-Windows-PnpCustomizationsWinPE")}
	for n, path := range i.DriverPaths {
		item := driverPath{Action: add, Key: strconv.Itoa(n + 1), Path: path}
		d.DriverPaths.PathAndCredentials = append(d.DriverPaths.PathAndCredentials, item)
	}
	return d
}

// setup is the installation itself.
type setup struct {
	identity
	DiskConfiguration diskConfiguration
	DynamicUpdate     struct{ Enable bool }
	ImageInstall      struct{ OSImage osImage }
	RunSynchronous    *runSynchronous
	UserData          userData
}

type osImage struct {
	InstallFrom struct{ MetaData metaData }
	InstallTo   struct{ DiskID, PartitionID int }
	WillShowUI  string
}

// metaData chooses an image of the medium.
type metaData struct {
	Action string `xml:"wcm:action,attr"`
	Key    string
	Value  string
}

type userData struct {
	AcceptEula bool
	ProductKey productKey
}

// productKey has no Key on evaluation media: one that is there and empty stops
// Setup, and one of another medium finds no image.
type productKey struct {
	Key        string `xml:",omitempty"`
	WillShowUI string
}

func (i Install) setup() setup {
	s := setup{identity: named("Microsoft-Windows-Setup"), DiskConfiguration: biosDisk()}
	s.ImageInstall.OSImage.InstallTo.PartitionID = biosSystem
	if i.UEFI {
		s.DiskConfiguration = uefiDisk()
		s.ImageInstall.OSImage.InstallTo.PartitionID = uefiSystem
	}
	s.ImageInstall.OSImage.InstallFrom.MetaData = i.metaData()
	s.ImageInstall.OSImage.WillShowUI = onError
	s.UserData = userData{AcceptEula: true, ProductKey: productKey{Key: i.ProductKey.Reveal(), WillShowUI: onError}}
	if i.OldSetup {
		const path = `reg.exe add HKLM\SYSTEM\Setup /v CmdLine /t REG_SZ /d X:\sources\setup.exe /f`
		commands := inOrder([]runSynchronousCommand{{Path: path}})
		s.RunSynchronous = &commands
	}
	return s
}

func (i Install) metaData() metaData {
	if i.ImageName != "" {
		return metaData{Action: add, Key: "/IMAGE/NAME", Value: i.ImageName}
	}
	return metaData{Action: add, Key: "/IMAGE/INDEX", Value: strconv.Itoa(i.ImageIndex)}
}
