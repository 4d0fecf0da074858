package kubeadm

import (
	"testing"
	"time"

	"kinit/modules/internal/certfile"
)

func TestCertificatesAreRenewedBeforeTheyEndAfterAnInterruptAndWhenAsked(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2025, 3, day, 12, 0, 0, 0, time.UTC) }
	two := []certfile.Certificate{{Path: "/etc/kubernetes/admin.conf", NotAfter: at(20)}, {Path: pkiDir + "/apiserver.crt", NotAfter: at(10)}}
	for _, tc := range []struct {
		name             string
		found            []certfile.Certificate
		interrupted, now bool
		limit            time.Time
		want             string
	}{
		{"all last", two, false, false, at(10), ""},
		{"one ends", two, false, false, at(11), "apiserver.crt ends 2025-03-10T12:00:00Z"},
		{"interrupted", two, true, false, at(1), "a renewal was interrupted"},
		{"asked for", two, false, true, at(1), "that is asked for"},
		{"no node yet", nil, false, true, at(30), ""},
	} {
		if got := decide(tc.found, tc.interrupted, tc.now, tc.limit); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
