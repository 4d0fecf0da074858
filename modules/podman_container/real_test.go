package podmancontainer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_container"
)

const image = "localhost/kinit-test:1"

func task(h *podmantest.Host, change func(*podmancontainer.Task)) *podmancontainer.Task {
	return moduletest.Make(podmancontainer.Kind(), func(made *podmancontainer.Task) {
		made.Name, made.Image, made.Runtime = "web", image, h.Runtime
		made.Networks, made.StopTimeout = []string{"none"}, "0s"
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	moduletest.Run(t, moduletest.Case{
		Host: h,
		New: func() module.Task {
			return task(h, func(t *podmancontainer.Task) { t.EnvSecret = map[string]secret.Value{"SECRET": "hunter2!"} })
		},
		Absent:  func() module.Task { return task(h, func(t *podmancontainer.Task) { t.State = "absent" }) },
		Secrets: []secret.Value{"hunter2!"},
	})
}

func TestChangedArgumentsAndImageRecreate(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "")
	h.Image(t, image, "one")
	moduletest.Settle(t, task(h, nil), h)
	other := task(h, func(t *podmancontainer.Task) { t.ConfigHash = "2" })
	podmantest.WantStep(t, h, other, "recreate container web: its arguments are others")
	moduletest.Settle(t, other, h)
	h.Image(t, image, "two")
	podmantest.WantStep(t, h, other, "recreate container web: its image is another")
	moduletest.Settle(t, other, h)
	stopped := task(h, func(t *podmancontainer.Task) { t.ConfigHash, t.State = "2", "stopped" })
	podmantest.WantStep(t, h, stopped, "stop container web")
	moduletest.Settle(t, stopped, h)
	if got := h.Podman(t, "inspect", "web", "--format", "{{.State.Status}}"); got != "exited" {
		t.Errorf("status %s, want exited", got)
	}
	podmantest.WantStep(t, h, other, "start container web: it ended with code 137")
	moduletest.Settle(t, other, h)
}

func TestContainerThatIsNotToBeReplacedStaysAsItWasMade(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "one")
	keep := func(hash string) *podmancontainer.Task {
		return task(h, func(t *podmancontainer.Task) { t.ConfigHash, t.Replace = hash, false })
	}
	podmantest.WantStep(t, h, keep("1"), "create container web from "+image)
	moduletest.Settle(t, keep("1"), h)
	id := h.Podman(t, "inspect", "web", "--format", "{{.Id}}")
	h.Image(t, image, "two")
	if steps := moduletest.Steps(t, keep("2"), h); len(steps) > 0 {
		t.Errorf("steps %v, want none", steps)
	}
	h.Kill(t, "web")
	podmantest.WantStep(t, h, keep("2"), "restart container web: its process is gone")
	moduletest.Settle(t, keep("2"), h)
	if now := h.Podman(t, "inspect", "web", "--format", "{{.Id}}"); now != id {
		t.Error("the container was recreated, want it started again as it was made")
	}
	other := task(h, func(t *podmancontainer.Task) { t.ConfigHash = "2" })
	podmantest.WantStep(t, h, other, "recreate container web: its arguments are others")
	moduletest.Settle(t, task(h, func(t *podmancontainer.Task) { t.Replace, t.State = false, "absent" }), h)
}

func TestWhetherItIsReplacedIsNotAnArgumentOfTheContainer(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "")
	h.Image(t, image, "")
	moduletest.Settle(t, task(h, func(t *podmancontainer.Task) { t.Replace = false }), h)
	if steps := moduletest.Steps(t, task(h, nil), h); len(steps) > 0 {
		t.Errorf("steps %v, want none", steps)
	}
}

func TestContainerWhoseProcessIsGoneIsRestarted(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	made := task(h, nil)
	moduletest.Settle(t, made, h)
	id := h.Podman(t, "inspect", "web", "--format", "{{.Id}}")
	h.Kill(t, "web")
	if got := h.Podman(t, "inspect", "web", "--format", "{{.State.Status}}"); got != "running" {
		t.Fatalf("podman says %s: it has noticed, so this tests nothing", got)
	}
	podmantest.WantStep(t, h, made, "restart container web: its process is gone")
	moduletest.Settle(t, made, h)
	if now := h.Podman(t, "inspect", "web", "--format", "{{.Id}}"); now != id {
		t.Error("the container was recreated, want it started again with its files")
	}
	h.Kill(t, "web")
	moduletest.Settle(t, task(h, func(t *podmancontainer.Task) { t.State = "absent" }), h)
}

// holding makes a container with an unnamed volume and a mounted file, and writes data into the volume.
func holding(t *testing.T, h *podmantest.Host, change func(*podmancontainer.Task)) (made *podmancontainer.Task, mounted, data string) {
	t.Helper()
	mounted = filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(mounted, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	made = task(h, func(t *podmancontainer.Task) {
		t.Volumes = []string{"/var", mounted + ":/etc/resolv.conf:ro"}
		change(t)
	})
	moduletest.Settle(t, made, h)
	volume := h.Podman(t, "inspect", "web", "--format", `{{range .Mounts}}{{if eq .Type "volume"}}{{.Source}}{{end}}{{end}}`)
	data = filepath.Join(volume, "etcd")
	if err := os.WriteFile(data, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	return made, mounted, data
}

func TestContainerThatCannotBeStartedKeepsItsData(t *testing.T) {
	t.Parallel()
	for _, replace := range []bool{false, true} {
		h := podmantest.NewHost(t, "k8s")
		h.Image(t, image, "")
		made, mounted, data := holding(t, h, func(t *podmancontainer.Task) { t.Replace = replace })
		id := h.Podman(t, "inspect", "web", "--format", "{{.Id}}")
		h.Kill(t, "web")
		if err := os.Rename(mounted, mounted+".away"); err != nil {
			t.Fatal(err)
		}
		err := moduletest.Steps(t, made, h)[0].Do(t.Context(), h)
		want := "It is not recreated: container web has unnamed volumes, which would be deleted with their data: /var. " +
			"Correct what podman names, such as a file that is mounted and missing, and run again. " +
			`If you do not need the data of the container, delete it with "podman rm --force --volumes web": the next run creates it`
		if err == nil || !strings.HasPrefix(err.Error(), "start container web: ") || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), mounted) {
			t.Errorf("replace = %t: error %v, want one that names %s and ends in\n%s", replace, err, mounted, want)
		}
		if text, err := os.ReadFile(data); err != nil || string(text) != "data" {
			t.Errorf("replace = %t: the volume has %q, %v", replace, text, err)
		}
		if err := os.Rename(mounted+".away", mounted); err != nil {
			t.Fatal(err)
		}
		moduletest.Settle(t, made, h)
		if now := h.Podman(t, "inspect", "web", "--format", "{{.Id}}"); now != id {
			t.Errorf("replace = %t: the container was recreated", replace)
		}
	}
}

func TestContainerWithoutVolumesThatMayNotBeReplacedStaysWhenItCannotBeStarted(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	mounted := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(mounted, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	made := task(h, func(t *podmancontainer.Task) { t.Volumes, t.Replace = []string{mounted + ":/x:ro"}, false })
	moduletest.Settle(t, made, h)
	id := h.Podman(t, "inspect", "web", "--format", "{{.Id}}")
	h.Kill(t, "web")
	if err := os.Remove(mounted); err != nil {
		t.Fatal(err)
	}
	err := moduletest.Steps(t, made, h)[0].Do(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), "\nIt is not recreated: replace = false keeps it. Correct ") {
		t.Errorf("error %v", err)
	}
	if now := h.Podman(t, "inspect", "web", "--format", "{{.Id}}"); now != id {
		t.Error("the container was recreated")
	}
}

func TestChangedContainerWithUnnamedVolumesIsNotRecreated(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	made, _, data := holding(t, h, func(*podmancontainer.Task) {})
	made.ConfigHash = "2"
	want := "container web has to be recreated, because its arguments are others; but container web has unnamed volumes, which would be deleted " +
		`with their data: /var. To keep the data, give the volumes names in volumes, such as "data:/var", and copy the data there; ` +
		"to keep the container as it is, set replace = false; to delete the data, set replace_volumes = true"
	if _, err := made.Plan(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := os.Stat(data); err != nil {
		t.Error(err)
	}
	made.ReplaceVolumes = true
	podmantest.WantStep(t, h, made, "recreate container web: its arguments are others")
	moduletest.Settle(t, made, h)
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the volume that was to go: %v", err)
	}
}

func TestContainerStaysWhileTheImageOfItsSuccessorIsMissing(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	moduletest.Settle(t, task(h, nil), h)
	other := task(h, func(t *podmancontainer.Task) { t.Image = "localhost/kinit-test:2" })
	if err := moduletest.Steps(t, other, h)[0].Do(t.Context(), h); err == nil {
		t.Error("a container was created without its image")
	}
	if state := h.Podman(t, "inspect", "web", "--format", "{{.State.Status}}"); state != "running" {
		t.Errorf("the container is %s, want running", state)
	}
}

func TestContainerWhoseStartWasKilledHalfWayIsStarted(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "")
	h.Image(t, image, "")
	made := task(h, nil)
	moduletest.Settle(t, task(h, func(t *podmancontainer.Task) { t.State = "stopped" }), h)
	h.HalfStart(t, "web")
	steps := moduletest.Steps(t, made, h)
	if len(steps) != 1 {
		t.Fatalf("steps %v, want one", steps)
	}
	moduletest.Settle(t, made, h)
	if state := h.Podman(t, "inspect", "web", "--format", "{{.State.Status}}"); state != "running" {
		t.Errorf("the container is %s, want running", state)
	}
}

func TestContainerStuckInStoppingIsBroughtBack(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	made := task(h, nil)
	moduletest.Settle(t, made, h)
	h.Kill(t, "web")
	// This leaves the state "stopping" for good, by podman 4.3.
	_, err := h.Run(t.Context(), module.Command{Argv: []string{"podman", "stop", "--time", "0", "web"}})
	t.Logf("podman stop: %v, then %s", err, h.Podman(t, "inspect", "web", "--format", "{{.State.Status}}"))
	moduletest.Settle(t, made, h)
}

func TestRunningStateOfAnEarlierBootIsForgotten(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	network := h.Network(t)
	made := task(h, func(t *podmancontainer.Task) { t.Networks = []string{network} })
	moduletest.Settle(t, made, h)
	h.Kill(t, "web")
	netns := h.Podman(t, "inspect", "web", "--format", "{{.NetworkSettings.SandboxKey}}")
	bridge := h.Podman(t, "network", "inspect", network, "--format", "{{.NetworkInterface}}")
	h.Reboot(t, bridge, netns)
	podmantest.WantStep(t, h, made, "restart container web: its process is gone")
	moduletest.Settle(t, made, h)
	values, err := module.Outputs(t.Context(), made, h)
	if err != nil || values["ip"].AsString() == "" || values["netns"].AsString() == netns {
		t.Errorf("ip %v, netns %v, %v, want an address in a new namespace", values["ip"], values["netns"], err)
	}
}

// podman 4 forgets the control group of a pod when the host reboots.
func TestAContainerIsMadeInAPodThatWasThereBeforeAReboot(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "")
	h.Image(t, image, "")
	h.Podman(t, "pod", "create", "--name", "services", "--network", "none")
	h.Boot(t)
	made := task(h, func(t *podmancontainer.Task) { t.Networks, t.Pod, t.State = nil, "services", "stopped" })
	moduletest.Settle(t, made, h)
	pod := h.Podman(t, "pod", "inspect", "services", "--format", "{{.CgroupParent}}/{{.ID}}")
	if parent := h.Podman(t, "inspect", "web", "--format", "{{.HostConfig.CgroupParent}}"); parent != pod {
		t.Errorf("the container is in the control group %s, want that of the pod, %s", parent, pod)
	}
}

func TestArgumentsReachPodman(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	network := h.Network(t)
	made := task(h, func(t *podmancontainer.Task) {
		t.Entrypoint, t.Command = []string{"/main"}, nil
		t.Env, t.EnvSecret = map[string]string{"MODE": "a b"}, map[string]secret.Value{"SECRET": "hunter2!"}
		t.Volumes, t.Tmpfs = []string{"data:/data", h.Dir + ":/host:ro"}, []string{"/cache:size=1m"}
		t.Networks, t.Publish = []string{network}, []string{"127.0.0.1:8080:80"}
		t.Hostname, t.DNS, t.AddHosts = "web.lab", []string{"10.0.0.253"}, []string{"registry:10.0.0.253"}
		t.User, t.Workdir = "0:0", "/data"
		t.CapAdd, t.CapDrop, t.Ulimits = []string{"NET_ADMIN"}, []string{"MKNOD"}, []string{"nofile=512:512", "nproc=512:512"}
		t.Sysctls, t.Systemd, t.Restart = map[string]string{"net.ipv4.ip_unprivileged_port_start": "0"}, "false", "on-failure"
		t.Labels, t.Options, t.StopTimeout = map[string]string{"tier": "front"}, []string{"--shm-size", "1m"}, "3s"
	})
	if err := module.Check(made); err != nil {
		t.Fatal(err)
	}
	moduletest.Settle(t, made, h)
	for field, want := range map[string]string{
		"{{.Config.Hostname}} {{.Config.User}} {{.Config.WorkingDir}} {{.Config.StopTimeout}}": "web.lab 0:0 /data 3",
		"{{.HostConfig.Dns}} {{.HostConfig.ExtraHosts}} {{.HostConfig.RestartPolicy.Name}}":    "[10.0.0.253] [registry:10.0.0.253] on-failure",
		"{{.HostConfig.CapAdd}} {{.HostConfig.CapDrop}} {{.HostConfig.ShmSize}}":               "[CAP_NET_ADMIN] [CAP_MKNOD] 1048576",
		`{{index .Config.Labels "tier"}} {{index .Config.Labels "kinit.owner"}}`:               "front k8s",
		"{{.HostConfig.PortBindings}}": "map[80/tcp:[{127.0.0.1 8080}]]",
	} {
		if got := h.Podman(t, "inspect", "web", "--format", field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	env := h.Podman(t, "inspect", "web", "--format", "{{.Config.Env}}")
	for _, want := range []string{"MODE=a b", "SECRET=hunter2!"} {
		if !strings.Contains(env, want) {
			t.Errorf("environment %s has no %s", env, want)
		}
	}
	if text := h.Podman(t, "inspect", "web", "--format", "{{.Config.CreateCommand}}"); strings.Contains(text, "hunter2!") {
		t.Errorf("the command has the secret: %s", text)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*podmancontainer.Task){
		`image is empty, expected an image's full name`:                          func(t *podmancontainer.Task) { t.Image = "" },
		`state is "up", want one of running, stopped, absent`:                    func(t *podmancontainer.Task) { t.State = "up" },
		`systemd is "yes", want one of true, false, always`:                      func(t *podmancontainer.Task) { t.Systemd = "yes" },
		`stop_timeout is "10", expected a duration such as "10s"`:                func(t *podmancontainer.Task) { t.StopTimeout = "10" },
		`networks, publish, dns and add_hosts belong to the pod when pod is set`: func(t *podmancontainer.Task) { t.Pod = "services" },
	} {
		moduletest.Refused(t, task(&podmantest.Host{}, change), want)
	}
}

func TestForeignContainerIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	h.Podman(t, "create", "--name", "web", "--label", "kinit.owner=other", "--label", "kinit.config=1", image)
	h.Podman(t, "create", "--name", "db", image)
	for name, want := range map[string]string{
		"web": "container web exists and is not owned by cluster k8s but by other: remove it or use another name",
		"db":  "container db exists and is not owned by cluster k8s (it has no mark of kinit): remove it or use another name",
	} {
		for _, state := range []string{"running", "absent"} {
			_, err := task(h, func(t *podmancontainer.Task) { t.Name, t.State = name, state }).Plan(t.Context(), h)
			if err == nil || err.Error() != want {
				t.Errorf("%s: error %v, want %s", state, err, want)
			}
		}
	}
}

func TestContainerThatEndsAtOnceShowsItsLastLines(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	made := task(h, func(t *podmancontainer.Task) {
		t.Command, t.EnvSecret = []string{"cannot", "bind"}, map[string]secret.Value{"SECRET": "hunter2!"}
	})
	steps := moduletest.Steps(t, made, h)
	err := steps[0].Do(t.Context(), h)
	if err == nil {
		// The program may still have been starting; planning tells then.
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if left := moduletest.Steps(t, made, h); len(left) == 1 && left[0].String() == "start container web: it ended with code 3" {
				return
			}
		}
		t.Fatal("the container has not ended")
	}
	want := "container web ended at once with code 3:\n[cannot bind] ***"
	if err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestMissingImageSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	err := moduletest.Steps(t, task(h, nil), h)[0].Do(t.Context(), h)
	want := "create container web: there is no image localhost/kinit-test:1 on the host: bring it with podman_image"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
