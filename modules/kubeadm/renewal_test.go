package kubeadm_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/pki"
	"kinit/modules/kubeadm"
)

// controller is a host whose API server's certificate ends in some days, and whose kubeadm renews
// it for a year. A program whose restart fails is named.
func (c *cluster) controller(t *testing.T, days int, fails *string) *moduletest.FakeHost {
	t.Helper()
	h := c.host(t, "cp")
	h.FS.Put("/etc/kubernetes/pki/ca.crt", c.ca, 0o644)
	c.ready.Store(true)
	key, err := pki.NewKey(pki.ECDSA)
	if err != nil {
		t.Fatal(err)
	}
	made := func(days int) string {
		text, err := pki.SelfSign(pki.Request{CommonName: "kube-apiserver", Validity: 365 * 24 * time.Hour, Now: time.Now().Add(time.Duration(days-365) * 24 * time.Hour)}, key)
		if err != nil {
			t.Error(err)
		}
		return text
	}
	cert := made(days)
	c.renews = func() { cert = made(365) }
	h.Handle(func(call moduletest.Call) (moduletest.Reply, bool) {
		switch {
		case slices.Contains(call.Argv, "certificates"):
			return moduletest.Reply{Stdout: "file /etc/kubernetes/pki/apiserver.crt\n" + cert}, true
		case len(call.Argv) == 5 && call.Argv[3] == "restart":
			if call.Argv[4] == *fails {
				return moduletest.Reply{Changes: true, Code: 1, Stderr: "killed"}, true
			}
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, false
	})
	return h
}

func certsTask(change func(*kubeadm.CertsTask)) *kubeadm.CertsTask {
	return moduletest.Make(kubeadm.CertsKind(), func(made *kubeadm.CertsTask) {
		made.Wait = "2s"
	}, change)
}

// done lists the changes of commands: those of kubeadm as they are, and programs that were restarted by name.
func done(h *moduletest.FakeHost) (all []string) {
	for _, line := range h.Changes() {
		words := strings.Fields(line)
		if words[0] == "kubeadm" {
			all = append(all, line)
		} else {
			all = append(all, "restart "+strings.Trim(words[len(words)-1], "'"))
		}
	}
	return all
}

func TestCertificatesOfAWeekAreRenewedAndTheProgramsThatReadThemOnceStartAgain(t *testing.T) {
	t.Parallel()
	fails := ""
	h := newCluster(t).controller(t, 7, &fails)
	moduletest.Do(t, certsTask(nil), h)
	want := []string{"kubeadm certs renew all", "restart kube-apiserver", "restart kube-controller", "restart kube-scheduler"}
	if diff := cmp.Diff(want, done(h)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	wantSteps(t, h, certsTask(nil))
}

func TestNoRenewalIsForeverWhereCertificatesDoNotLastThatLong(t *testing.T) {
	t.Parallel()
	fails := ""
	h := newCluster(t).controller(t, 7, &fails)
	decade := certsTask(func(t *kubeadm.CertsTask) { t.RenewBefore = "87600h" })
	moduletest.Do(t, decade, h)
	wantSteps(t, h, decade)
}

func TestARenewalThatFailsInTheMiddleIsDoneAgain(t *testing.T) {
	t.Parallel()
	fails := "kube-controller"
	h := newCluster(t).controller(t, 7, &fails)
	name := h.Name()
	steps := moduletest.Steps(t, certsTask(nil), h)
	if err := steps[0].Do(t.Context(), h); err == nil || !strings.Contains(err.Error(), "start kube-controller again: ") {
		t.Fatalf("error %v", err)
	}
	wantSteps(t, h, certsTask(nil), "renew the certificates of Kubernetes on "+name+" and start its control plane again: a renewal was interrupted")
	fails = ""
	moduletest.Do(t, certsTask(nil), h)
	wantSteps(t, h, certsTask(nil))
}

func TestAProgramAfterWhichTheAPIServerDoesNotAnswerIsAnError(t *testing.T) {
	t.Parallel()
	fails := ""
	c := newCluster(t)
	h := c.controller(t, 7, &fails)
	c.ready.Store(false)
	steps := moduletest.Steps(t, certsTask(nil), h)
	err := steps[0].Do(t.Context(), h)
	if want := "wait for the API server of " + h.Name() + " after kube-apiserver has started again: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want one that begins with %q", err, want)
	}
}

func TestCertificatesThatLastAreRenewedOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	fails := ""
	h := newCluster(t).controller(t, 365, &fails)
	wantSteps(t, h, certsTask(nil))
	now := certsTask(func(t *kubeadm.CertsTask) { t.Now = true })
	wantSteps(t, h, now, "renew the certificates of Kubernetes on "+h.Name()+" and start its control plane again: that is asked for")
	if !now.Unverifiable() || certsTask(nil).Unverifiable() {
		t.Error("a renewal that is asked for is verified, or another one is not")
	}
}

func TestCertsTaskRefusesWrongArguments(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*kubeadm.CertsTask){
		`renew_before is "30d", expected a duration such as "720h"`: func(t *kubeadm.CertsTask) { t.RenewBefore = "30d" },
		`wait is "-1s", expected a duration such as "720h"`:         func(t *kubeadm.CertsTask) { t.Wait = "-1s" },
		`port is 70000, expected a port`:                            func(t *kubeadm.CertsTask) { t.Port = 70000 },
	} {
		moduletest.Refused(t, certsTask(change), want)
	}
}
