package machine

import "strings"

// Release is a release of Windows Server.
type Release struct {
	Name     string // such as "Windows Server 2022 Datacenter"
	Short    string // as drivers' folders call it: 2k22
	Build    int    // 20348
	Revision int    // of the build, UBR
	Display  string // such as 21H2; 1809 for 2019
	Edition  string // EditionID
}

// Releases are the releases that the simulator knows, by their short names, as
// evaluation media install them.
func Releases() []Release {
	return []Release{
		{Name: "Windows Server 2019 Datacenter Evaluation", Short: "2k19", Build: 17763, Revision: 3650, Display: "1809", Edition: "ServerDatacenterEval"},
		{Name: "Windows Server 2022 Datacenter Evaluation", Short: "2k22", Build: 20348, Revision: 587, Display: "21H2", Edition: "ServerDatacenterEval"},
		{Name: "Windows Server 2025 Datacenter Evaluation", Short: "2k25", Build: 26100, Revision: 32230, Display: "24H2", Edition: "ServerDatacenterEval"},
	}
}

// FindRelease returns the release of a short name.
func FindRelease(short string) (Release, bool) {
	for _, r := range Releases() {
		if strings.EqualFold(r.Short, short) {
			return r, true
		}
	}
	return Release{}, false
}
