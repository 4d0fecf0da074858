package manifest

import "testing"

func TestWhatServesAllClustersIsShared(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"/var/lib/kinit/shared": true, "/var/lib/kinit/shared/overlay/ca.key": true, "/var/lib/kinit/shared-not": false,
		"kinit-shared-ovn-nb.service": true, "kinit-k8s-services.service": false, "/etc/kinit-shared-file": false,
	} {
		if got := IsShared(name); got != want {
			t.Errorf("%s is shared: %t, want %t", name, got, want)
		}
	}
}
