package podmansweep_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_sweep"
)

const (
	ours   = "localhost/ours:1"
	theirs = "localhost/theirs:1"
)

func task(change func(*podmansweep.Task)) *podmansweep.Task {
	return moduletest.Make(podmansweep.Kind(), change)
}

// label are the labels of a thing of a cluster.
func label(owner string) []string {
	return []string{"--label", "kinit.owner=" + owner, "--label", "kinit.config=1"}
}

// populate makes one thing of each kind for the cluster k8s, and one for other.
func populate(t *testing.T, h *podmantest.Host) {
	t.Helper()
	h.Image(t, ours, "ours")
	h.Image(t, theirs, "theirs")
	if err := h.Own(t.Context(), module.Mark{Kind: "podman_image", ID: ours}); err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"k8s", "other"} {
		for _, args := range [][]string{
			{"network", "create", owner + "-net"},
			{"volume", "create", owner + "-data"},
			{"pod", "create", "--name", owner + "-pod"},
			{"create", "--name", owner + "-alone"},
			{"create", "--name", owner + "-member", "--pod", owner + "-pod"},
		} {
			last := []string{}
			if args[0] == "create" {
				last = []string{map[string]string{"k8s": ours, "other": theirs}[owner]}
			}
			if args[0] == "network" || args[0] == "volume" {
				last, args = args[2:], args[:2]
			}
			h.Podman(t, append(append(append([]string{}, args...), label(owner)...), last...)...)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	populate(t, h)
	moduletest.Run(t, moduletest.Case{
		Host: h,
		New:  func() module.Task { return task(func(t *podmansweep.Task) { t.All = true }) },
	})
	for kind, want := range map[string]string{
		"ps --all": "other-alone other-member", "pod ps": "other-pod", "network ls": "other-net podman", "volume ls": "other-data",
	} {
		format := "{{.Name}}"
		if kind == "ps --all" {
			format = "{{if not .IsInfra}}{{.Names}}{{end}}"
		}
		got := h.Podman(t, append(strings.Fields(kind), "--format", format)...)
		left := slices.Sorted(slices.Values(strings.Fields(got)))
		if strings.Join(left, " ") != want {
			t.Errorf("%s: left %v, want %s", kind, left, want)
		}
	}
	h.Podman(t, "image", "exists", theirs)
}

func TestKeptThingsStayAndSoDoesTheImageTheyUse(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	populate(t, h)
	keep := task(func(t *podmansweep.Task) { t.Keep = []string{"k8s-alone", "k8s-net"} })
	want := []string{"remove pod k8s-pod", "remove podman volume k8s-data"}
	moduletest.WantTexts(t, keep, h, want...)
	pod := task(func(t *podmansweep.Task) { t.Keep = []string{"k8s-pod", "k8s-net", "k8s-data"} })
	want = []string{"remove container k8s-alone", "remove container k8s-member", "remove image " + ours}
	moduletest.WantTexts(t, pod, h, want...)
}

func TestContainersGetTheTimeToEndThatTheirLabelSays(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, theirs, "")
	for name, seconds := range map[string]string{"fast": "0", "odd": "soon"} {
		args := append([]string{"run", "--detach", "--network", "none", "--name", name, "--label", "kinit.stop=" + seconds}, label("k8s")...)
		if h.Runtime != "" {
			args = append([]string{"--runtime", h.Runtime}, args...)
		}
		h.Podman(t, append(args, theirs)...)
	}
	recorded := &recorder{Host: h}
	all := task(func(t *podmansweep.Task) { t.All = true })
	steps := moduletest.Do(t, all, recorded)
	want := map[string]string{"remove container fast": "0", "remove container odd": "10"}
	got := map[string]string{}
	for i, s := range steps {
		got[s] = recorded.times[i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("seconds to end (-want +got):\n%s", diff)
	}
	if left := moduletest.Texts(t, all, h); len(left) > 0 {
		t.Errorf("planned again: %v", left)
	}
}

// recorder notes how long containers got to end.
type recorder struct {
	*podmantest.Host
	times []string
}

func (r *recorder) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if at := slices.Index(c.Argv, "--time"); at >= 0 && slices.Contains(c.Argv, "rm") {
		r.times = append(r.times, c.Argv[at+1])
	}
	return r.Host.Run(ctx, c)
}

func TestImagesThatOthersUseAreOnlyForgotten(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, ours, "")
	h.Podman(t, "create", "--name", "stranger", ours)
	for _, m := range []module.Mark{
		{Kind: "podman_image", ID: ours}, {Kind: "podman_image", ID: "localhost/gone:1"},
		{Kind: "podman_image", ID: "localhost/base:1", Keep: true},
	} {
		if err := h.Own(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	all := task(func(t *podmansweep.Task) { t.All = true })
	want := []string{"forget image " + ours + ": container stranger uses it", "forget image localhost/gone:1: it is gone"}
	moduletest.WantTexts(t, all, h, want...)
	values, err := module.Outputs(t.Context(), all, h)
	if err != nil || fmt.Sprint(values["count"].AsBigFloat()) != "2" {
		t.Errorf("count %v, %v, want 2", values["count"], err)
	}
	purge := task(func(t *podmansweep.Task) { t.All, t.Purge = true, true })
	moduletest.WantTexts(t, purge, h, append(want, "forget image localhost/base:1: it is gone")...)
}

func TestWhatAnotherClustersContainerUsesIsHandedOver(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, ours, "")
	h.Podman(t, append(append([]string{"create", "--name", "theirs"}, label("other")...), ours)...)
	for _, m := range []module.Mark{
		{Kind: podman.ImageMark, ID: ours}, {Kind: podman.FirewallMark, ID: "netavark", Prior: "[]"},
	} {
		if err := h.Own(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	all := task(func(t *podmansweep.Task) { t.All = true })
	want := []string{"hand image " + ours + " over to cluster other", "hand podman's packet filter rules over to cluster other"}
	moduletest.WantTexts(t, all, h, want...)
}

func TestPodmansRulesGoWithTheLastContainerAndOthersRulesStay(t *testing.T) {
	t.Parallel()
	for _, theirs := range []string{"", "add table ip filter; add chain ip filter FORWARD { type filter hook forward priority 0; }; " +
		"add rule ip filter FORWARD ip saddr 192.0.2.1 drop"} {
		h := podmantest.NewHost(t, "k8s")
		h.Image(t, ours, "")
		if theirs != "" {
			nft(t, h, theirs)
		}
		before := nft(t, h, "--stateless", "list", "ruleset")
		if err := (podman.Client{Host: h}).OwnFirewall(t.Context()); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"run", "--detach", "--name", "web", "--network", h.Network(t), "--publish", "127.0.0.1:8080:80"}, label("k8s")...)
		if h.Runtime != "" {
			args = append([]string{"--runtime", h.Runtime}, args...)
		}
		h.Podman(t, append(args, ours)...)
		if nft(t, h, "--stateless", "list", "ruleset") == before {
			t.Fatal("podman has made no rules: this tests nothing")
		}
		if left := moduletest.Texts(t, task(func(t *podmansweep.Task) { t.Keep = []string{"web"} }), h); len(left) > 0 {
			t.Errorf("steps %v, want none while a container stays", left)
		}
		all := task(func(t *podmansweep.Task) { t.All = true })
		want := []string{"remove container web", "remove podman's packet filter rules"}
		moduletest.WantTexts(t, all, h, want...)
		moduletest.Do(t, all, h)
		if diff := cmp.Diff(before, nft(t, h, "--stateless", "list", "ruleset")); diff != "" {
			t.Errorf("rules (-before +after):\n%s", diff)
		}
		if left := moduletest.Texts(t, all, h); len(left) > 0 {
			t.Errorf("planned again: %v", left)
		}
	}
}

func nft(t *testing.T, h module.Host, args ...string) string {
	t.Helper()
	out, err := h.Run(t.Context(), module.Command{Argv: append([]string{"nft"}, args...)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Stdout
}

func TestImageInAnotherClustersManifestIsOnlyForgotten(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	for argv, out := range map[string]string{
		"ps --all": "[]", "pod ps": "[]", "volume ls": "[]", "network ls": "[]",
	} {
		h.On(append(append([]string{"podman"}, strings.Fields(argv)...), "--format", "json")...).Out(out)
	}
	h.On("podman", "image", "inspect", ours).Out(`[{"Id": "abc"}]`)
	h.FS.Put("/var/lib/kinit/clusters/other/owned/podman_image/a.json", `{"kind": "podman_image", "id": "`+ours+`"}`, 0o600)
	if err := h.Own(t.Context(), module.Mark{Kind: "podman_image", ID: ours}); err != nil {
		t.Fatal(err)
	}
	want := []string{"forget image " + ours + ": cluster other has it too"}
	moduletest.WantTexts(t, task(func(t *podmansweep.Task) { t.All = true }), h, want...)
}

func TestHostWithoutPodmanOrOwnerHasNothing(t *testing.T) {
	t.Parallel()
	bare := moduletest.NewFakeHost(t, "k8s")
	bare.On("podman", "ps", "--all", "--format", "json").Fail(127, "podman: not found")
	for _, h := range []module.Host{bare, moduletest.NewFakeHost(t, "")} {
		if got := moduletest.Texts(t, task(func(t *podmansweep.Task) { t.All = true }), h); len(got) > 0 {
			t.Errorf("steps %v, want none", got)
		}
	}
}

func TestContainersAndVolumesWithDataAreRemovalsThatMustBeNamed(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, theirs, "theirs")
	for name, volume := range map[string]string{"k8s-empty": "", "k8s-anonymous": "/var", "k8s-named": "k8s-data:/var", "k8s-bound": t.TempDir() + ":/var"} {
		args := append([]string{"create", "--name", name}, label("k8s")...)
		if volume != "" {
			args = append(args, "--volume", volume)
		}
		if name == "k8s-named" {
			h.Podman(t, append(append([]string{"volume", "create"}, label("k8s")...), "k8s-data")...)
		}
		h.Podman(t, append(args, theirs)...)
	}
	for all, want := range map[bool][]module.Removed{
		false: {{Kind: "container", Name: "k8s-anonymous"}, {Kind: "podman volume", Name: "k8s-data"}},
		true:  {{Kind: "container", Name: "k8s-anonymous", All: true}, {Kind: "podman volume", Name: "k8s-data", All: true}},
	} {
		steps, err := task(func(t *podmansweep.Task) { t.All = all }).Plan(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		if got := module.Removals(steps); !cmp.Equal(got, want) {
			t.Errorf("all = %v: %v, want %v", all, got, want)
		}
	}
}

// Otherwise a run would take the containers of services for nodes that the spec does not have.
func TestTheDriverListsContainersThatAreNodesAlone(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	populate(t, h)
	script, err := os.ReadFile("../../specs/drivers/podman/files/there.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, format, _ := strings.Cut(string(script), "--format '")
	format, _, _ = strings.Cut(format, "'")
	listed := strings.Fields(h.Podman(t, "ps", "--all", "--filter", "label=kinit.owner", "--format", format))
	if want := []string{"k8s-alone", "k8s", "other-alone", "other"}; !slices.Equal(listed, want) {
		t.Errorf("%q, want %q", listed, want)
	}
}
