package kubeadm

import (
	"testing"
	"time"

	"kinit/modules/internal/certfile"
)

func TestCertificatesAreRenewedBeforeTheyEndAfterAnInterruptAndWhenAsked(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2025, 3, day, 12, 0, 0, 0, time.UTC) }
	const day = 24 * time.Hour
	two := []certfile.Certificate{
		{Path: "/etc/kubernetes/admin.conf", NotBefore: at(-345), NotAfter: at(20)}, {Path: pkiDir + "/apiserver.crt", NotBefore: at(-355), NotAfter: at(10)},
	}
	short := []certfile.Certificate{{Path: pkiDir + "/apiserver.crt", NotBefore: at(1), NotAfter: at(10)}}
	for _, tc := range []struct {
		name             string
		found            []certfile.Certificate
		interrupted, now bool
		before           time.Duration
		at               time.Time
		want             string
	}{
		{"all last", two, false, false, 4 * day, at(6), ""},
		{"one ends", two, false, false, 4 * day, at(7), "apiserver.crt ends 2025-03-10T12:00:00Z"},
		{"interrupted", two, true, false, 4 * day, at(1), "a renewal was interrupted"},
		{"asked for", two, false, true, 4 * day, at(1), "that is asked for"},
		{"no node yet", nil, false, true, 4 * day, at(30), ""},
		{"new, and never lasts that long", short, false, false, 30 * day, at(1), ""},
		{"of a life that is shorter, two thirds", short, false, false, 30 * day, at(7), ""},
		{"of a life that is shorter, the last third", short, false, false, 30 * day, at(8), "apiserver.crt ends 2025-03-10T12:00:00Z"},
	} {
		if got := decide(tc.found, tc.interrupted, tc.now, tc.before, tc.at); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
