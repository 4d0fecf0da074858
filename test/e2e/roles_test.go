package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The lab of the roles. Its mirror has the packages that they install, and a release of
// node_exporter.
const (
	rolesLab    = "roles"
	rolesSubnet = "10.81.0.0/24"
	rolesMirror = "10.81.0.4"
)

// role is one of the examples of roles, with its playbook and the hosts that it is for.
type role struct {
	name, playbook, hosts string
	vars                  []string
	look                  func(t *testing.T, k *kinit, r role)
}

// args are those of a run.
func (r role) args(k *kinit, more ...string) []string {
	args := []string{"run", filepath.Join("examples", "roles", r.playbook), "--hosts", r.hosts, "--output", "json",
		"-i", filepath.Join(k.home, "config", "kinit", "inventories", rolesLab+".hcl"), "-i", "test/e2e/testdata/roles/k3s/groups.hcl",
		"--var-file", filepath.Join("test", "e2e", "testdata", "roles", r.name+".hcl")}
	for _, value := range r.vars {
		args = append(args, "--var", value)
	}
	return append(args, more...)
}

// unchanged runs it again.
func (r role) unchanged(t *testing.T, k *kinit, more ...string) {
	t.Helper()
	if changed := k.must(t, r.args(k, more...)...).finished("changed"); len(changed) > 0 {
		t.Errorf("changed again:\n%s", strings.Join(changed, "\n"))
	}
}

// TestRolesTwiceOnALab runs the examples of roles, each of them again without a change, and asks
// the services that they have set up. That of the hardened server is the last: it closes doors. Its lab has a name and a
// network of its own, so it runs beside TestNodesOfStockImages.
func TestRolesTwiceOnALab(t *testing.T) {
	t.Parallel()
	k := build(t)
	newLab(t, k, rolesLab, rolesSubnet, "--hosts", "one,two,three", "--drivers", "podman", "--stock")
	for _, host := range []string{"one", "two", "three"} {
		onRole(t, host, "rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*; echo 'deb http://"+rolesMirror+"/debian bookworm main' >/etc/apt/sources.list")
	}
	onRole(t, "two", "useradd --create-home ann")
	onRole(t, "three", "ssh-keygen -A") // as on any host of Debian, where a lab has one key

	site := "http://" + rolesMirror + "/prometheus/node_exporter/releases/download"
	for _, r := range []role{
		{name: "nginx", playbook: "nginx", hosts: "one", look: lookAtNginx},
		{name: "node_exporter", playbook: "node_exporter", hosts: "one,two", vars: []string{"releases_url=" + site, "local_cache_path=" + t.TempDir()}, look: lookAtExporter},
		{name: "k3s", playbook: "k3s/site", hosts: "one,two,three", vars: []string{"install_url=" + serveStandIn(t), "kubeconfig=" + filepath.Join(t.TempDir(), "kubeconfig")}, look: lookAtK3s},
		{name: "docker", playbook: "docker", hosts: "two", look: lookAtDocker},
		{name: "ssh_hardening", playbook: "ssh_hardening", hosts: "three", look: lookAtSSH},
	} {
		t.Run(r.name, func(t *testing.T) {
			if changed := k.must(t, r.args(k)...).finished("changed"); len(changed) == 0 {
				t.Error("the first run changed nothing")
			}
			r.unchanged(t, k)
			r.look(t, k, r)
		})
	}
}

// onRole runs a script on a host of the roles' lab.
func onRole(t *testing.T, host, script string) string {
	t.Helper()
	return inside(t, "kinit-"+rolesLab+"-"+host, host, script)
}

// says checks what a script prints on a host.
func says(t *testing.T, host, script, want string) {
	t.Helper()
	if got := onRole(t, host, script); got != want {
		t.Errorf("%s on %s says %q, want %q", script, host, got, want)
	}
}

// alters checks what a run has changed, by the first lines of steps, in any order.
func alters(t *testing.T, r result, want ...string) {
	t.Helper()
	var got []string
	for _, e := range r.events {
		if e.Kind != "task_finished" || e.Status != "changed" {
			continue
		}
		for _, step := range e.Steps {
			first, _, _ := strings.Cut(step, "\n")
			got = append(got, e.Task+": "+first)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// lookAtNginx asks the virtual hosts, and removes one.
func lookAtNginx(t *testing.T, k *kinit, r role) {
	says(t, "one", "curl -sS -H 'Host: www.shop.example' http://127.0.0.1/", "hello from www.shop.example\n")
	says(t, "one", "curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Host: old.example' 'http://127.0.0.1/x?y'", "301 http://shop.example/x?y")
	says(t, "one", "curl -sS http://127.0.0.1:8081/; ls /etc/nginx/sites-enabled", "appapp.conf\nshop.example.conf\n")
	says(t, "one", "grep ^worker_processes /etc/nginx/nginx.conf", "worker_processes "+strings.TrimSpace(onRole(t, "one", "nproc"))+";\n")

	without := []string{"--var", `vhosts=[{ listen = "8081", filename = "app.conf", state = "absent" }, { server_name = "shop.example", return = "200 shop" }]`}
	alters(t, k.must(t, r.args(k, without...)...), `task.file.absent_vhost["one"]["app.conf"]: remove /etc/nginx/sites-enabled/app.conf`,
		`task.template.vhost["one"]["shop.example.conf"]: change /etc/nginx/sites-enabled/shop.example.conf`,
		`handler.service.reload["one"]: reload nginx.service`)
	r.unchanged(t, k, without...)
	// nginx closes the port when its old workers have ended.
	says(t, "one", "for i in $(seq 100); do curl -s -o /dev/null http://127.0.0.1:8081/ || break; sleep 0.1; done; "+
		"curl -sS http://127.0.0.1/; curl -s http://127.0.0.1:8081/ || echo gone", "shopgone\n")

	broken := k.call(t, r.args(k, "--var", `vhosts=[{ server_name = "shop.example", return = "nothing of the kind, and too much" }]`)...)
	broken.refuses(t, 1, "invalid number of arguments in ")
	says(t, "one", "curl -sS http://127.0.0.1/", "shop")
	k.must(t, r.args(k, without...)...)
}

// lookAtExporter reads metrics, with the password and without it.
func lookAtExporter(t *testing.T, k *kinit, r role) {
	for _, host := range []string{"one", "two"} {
		says(t, host, "curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:9100/metrics", "401")
		says(t, host, "curl -sS -u scraper:read-the-metrics http://127.0.0.1:9101/metrics | grep -E '^node_(uname_info|textfile_scrape_error)' | sed 's/.*nodename=\"\\([^\"]*\\)\".*/\\1/'",
			"node_textfile_scrape_error 0\n"+host+"\n")
	}
	says(t, "one", "ps -o user= -C node_exporter", "node-exp\n")
	const restart = ": restart node_exporter.service, as what it was started with has changed"
	alters(t, k.must(t, r.args(k, "--var", "log_level=warn")...),
		`import.common.task.template.unit["one"]: change /etc/systemd/system/node_exporter.service`, `import.common.task.template.unit["two"]: change /etc/systemd/system/node_exporter.service`,
		`import.common.task.service.units["one"]: reload systemd`, `import.common.task.service.units["two"]: reload systemd`,
		`task.service.node_exporter["one"]`+restart, `task.service.node_exporter["two"]`+restart)
	refused := k.call(t, r.args(k, "--var", `tls_server_config={ cert_file = "/etc/cert.pem", key_file = "/etc/key.pem" }`)...)
	refused.refuses(t, 1, "one has no /etc/cert.pem: put the certificate there, or change cert_file.")
}

// lookAtDocker runs a container of an image that is made on the spot.
func lookAtDocker(t *testing.T, _ *kinit, _ role) {
	says(t, "two", "id -nG ann; docker info --format '{{.Driver}}'; systemctl is-enabled docker", "ann docker\nvfs\nenabled\n")
	says(t, "two", "tr '\\0' ' ' </proc/$(pidof dockerd)/cmdline", "/usr/sbin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock --log-level=warn ")
	onRole(t, "two", "tar -C /usr/bin -c catatonit | docker import - hello")
	says(t, "two", "docker run --rm --network none hello /catatonit --version", onRole(t, "two", "catatonit --version"))
}

// lookAtSSH logs in with what the hardened server takes, and with what it refuses.
func lookAtSSH(t *testing.T, k *kinit, r role) {
	says(t, "three", "sshd -T | grep -E '^(permitrootlogin|passwordauthentication|maxauthtries|x11forwarding|loglevel) ' | sort",
		"loglevel VERBOSE\nmaxauthtries 2\npasswordauthentication no\npermitrootlogin without-password\nx11forwarding no\n")
	says(t, "three", "ssh-keygen -l -f /etc/ssh/ssh_host_rsa_key | cut -d ' ' -f 1; awk '$5 < 2048' /etc/ssh/moduli; systemctl is-active ssh; cat /etc/ssh/auth_principals/root",
		"4096\nactive\n# Written by kinit.\nroot\nadmins\n")
	address := strings.TrimSuffix(rolesSubnet, "0/24") + "12"
	for option, refused := range map[string]bool{"KexAlgorithms=curve25519-sha256@libssh.org": false, "KexAlgorithms=ecdh-sha2-nistp256": true, "Ciphers=aes128-cbc": true} {
		cmd := exec.CommandContext(t.Context(), "ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", option,
			"-i", filepath.Join(k.home, "state", "kinit", "labs", rolesLab, "id_ed25519"),
			"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "ConnectTimeout=30", "root@"+address, "hostname")
		out, err := cmd.CombinedOutput()
		if (err != nil) != refused || !refused && !strings.HasSuffix(string(out), "three\n") {
			t.Errorf("with %s: %v\n%s", option, err, out)
		}
	}
	broken := k.call(t, r.args(k, "--var", `server_options=["NoSuchOption yes"]`)...)
	broken.refuses(t, 1, "Bad configuration option: NoSuchOption")
	// The task that failed had notified the handler, which stays pending until it has run.
	const restart = `handler.service.restart["three"]`
	if diff := cmp.Diff([]string{restart + " restart ssh.service"}, k.must(t, r.args(k)...).finished("changed")); diff != "" {
		t.Errorf("changed after the failure (-want +got):\n%s", diff)
	}
	r.unchanged(t, k)
}

// serveStandIn serves the stand-in for k3s in the lab's network.
func serveStandIn(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", strings.TrimSuffix(rolesSubnet, "0/24")+"1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(filepath.Join("testdata", "roles", "k3s"))), ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return "http://" + listener.Addr().String() + "/install.sh"
}

// lookAtK3s asks the stand-in for its nodes, upgrades it, and removes it.
func lookAtK3s(t *testing.T, k *kinit, r role) {
	says(t, "two", "k3s kubectl get nodes; echo; k3s --version", "one three two\nk3s version v1.31.12+k3s1 (a stand-in, not k3s)\n")
	says(t, "three", "sed -n 's/^K3S_TOKEN=//p' /etc/systemd/system/k3s-agent.service.env; grep -c STAND_IN=yes /etc/systemd/system/k3s-agent.service.env",
		onRole(t, "one", "cat /var/lib/rancher/k3s/server/token")+"1\n")
	kubeconfig := strings.TrimPrefix(r.vars[slices.IndexFunc(r.vars, func(v string) bool { return strings.HasPrefix(v, "kubeconfig=") })], "kubeconfig=")
	if _, err := exec.LookPath("kubectl"); err == nil {
		if text, err := os.ReadFile(kubeconfig); err != nil || !strings.Contains(string(text), "https://10.81.0.10:6443") {
			t.Errorf("the kubeconfig is %q, %v", text, err)
		}
	}

	upgrade := r
	upgrade.playbook = "k3s/upgrade"
	const newer = "k3s_version=v1.32.8+k3s1"
	before := onRole(t, "three", "systemctl show --value --property=MainPID k3s-agent")
	k.must(t, upgrade.args(k, "--var", newer)...)
	upgrade.unchanged(t, k, "--var", newer)
	r.unchanged(t, k, "--var", newer)
	for _, host := range []string{"one", "two", "three"} {
		says(t, host, "k3s --version", "k3s version v1.32.8+k3s1 (a stand-in, not k3s)\n")
	}
	if after := onRole(t, "three", "systemctl is-active k3s-agent; systemctl show --value --property=MainPID k3s-agent"); after == "active\n"+before {
		t.Errorf("the agent was not restarted: %s", after)
	}
	says(t, "one", "k3s kubectl get nodes", "one three two")

	reset := r
	reset.playbook = "k3s/reset"
	k.must(t, reset.args(k)...)
	reset.unchanged(t, k)
	for _, host := range []string{"one", "two", "three"} {
		says(t, host, "ls /usr/local/bin; systemctl list-unit-files --no-legend 'k3s*'; ls -d /etc/rancher /var/lib/rancher 2>/dev/null || echo none", fmt.Sprintf("%snone\n", map[string]string{"one": "node_exporter\n", "two": "node_exporter\n"}[host]))
	}
}
