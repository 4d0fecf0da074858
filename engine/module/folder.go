package module

// The folders of a host in which kinit keeps what it needs of its own, on Linux and on
// Windows.
const (
	StateFolder        = "/var/lib/kinit"
	WindowsStateFolder = "C:/ProgramData/kinit"
)

// The folders below them with a folder for each owner, which has its marks.
const (
	Manifests        = StateFolder + "/clusters"
	WindowsManifests = WindowsStateFolder + "/clusters"
)
