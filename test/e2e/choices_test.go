package e2e

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// choicesOfStockImages deploys what clusters may choose and what only a lab has whose mirrors serve
// everything: Calico, and addons whose programs are built from Go modules of their own.
func choicesOfStockImages(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman", "--stock", "--var", "lab_stock_all=true")
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	spec := []string{"k8s-podman-1-1-1", "--hosts", hosts}
	plain := slices.Concat([]string{"run"}, spec, []string{"--var", "pod_network=calico-vxlan"})
	run := append(slices.Clone(plain), "--var", `addons=["ingress", "node-problem-detector"]`)

	step(t, "a registry without Kubernetes' images is named, with the variable that says it", func(t *testing.T) {
		registry := labAddress(5) + ":5000"
		nowhere := `image_mirrors={ "docker.io" = "http://` + registry + `/docker.io", "registry.k8s.io" = "http://` + registry + `/nowhere" }`
		k.call(t, append(plain, "--var", nowhere)...).lacks(t, registry+"/nowhere/", "The variable image_mirrors names other places of their registries")
	})
	step(t, "a site without Calico's manifests is named, with the variable that says it", func(t *testing.T) {
		site := "http://" + labAddress(4) + "/nowhere"
		k.call(t, append(plain, "--var", "calico_url="+site)...).lacks(t, site+"/c", "The variable calico_url names another place of them")
	})
	step(t, "nodes on two hypervisors are Ready with Calico, Traefik and node-problem-detector", func(t *testing.T) {
		bothReady(t, k.must(t, append(run, "--output", "json")...))
	})
	api := newAPI(t, k, spec)
	step(t, "pods reach each other by Calico's network", func(t *testing.T) { api.calico(t) })
	step(t, "Traefik leads to the site of an Ingress by its name, and elsewhere to the sample", func(t *testing.T) { api.ingress(t) })
	step(t, "what a kernel complains of becomes an event of its node", func(t *testing.T) { api.complaint(t) })
	step(t, "the second run with these choices changes nothing", func(t *testing.T) { unchanged(t, k, run) })
	step(t, "these addons are removed when they are no longer named", func(t *testing.T) {
		k.must(t, plain...)
		api.none(t, "deployments,daemonsets,services,ingressclasses,clusterroles,clusterrolebindings", "--all-namespaces", "--selector", "kinit/addon", "--output", "name")
		unchanged(t, k, plain)
	})
	step(t, "the clean-up after these choices leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})

	five := []string{"run", "k8s-podman-3-2-2", "--hosts", hosts}
	step(t, "five nodes of stock images on two hypervisors are Ready", func(t *testing.T) {
		r := k.must(t, append(five, "--output", "json")...)
		for _, node := range wideNodes {
			if !strings.Contains(r.stdout, node+"=Ready") {
				t.Errorf("%s is not Ready\n%s", node, tail(r.stdout, 3))
			}
		}
	})
	step(t, "the second run over five nodes changes nothing", func(t *testing.T) { unchanged(t, k, five) })
	step(t, "the clean-up of five nodes leaves nothing", func(t *testing.T) {
		removed(t, k, five)
		asBefore(t, before)
	})
}

// calico checks a cluster of two nodes, each on a hypervisor of its own, whose pods are on the network
// of Calico.
func (a *api) calico(t *testing.T) {
	t.Helper()
	for host, node := range map[string]string{"nyctea": "k8s-podman-controller-01", "tyto": "k8s-podman-compute-01"} {
		if got := on(t, host, "podman ps --format '{{.Names}}' --filter name=^k8s-podman-c"); got != node+"\n" {
			t.Errorf("%s has the nodes %q, want %q", host, got, node)
		}
		if got := on(t, host, "podman exec "+node+" sh -c 'ls /etc/cni/net.d; ip -o link show vxlan.calico | cut -d: -f2'"); !strings.Contains(got, "calico") || !strings.Contains(got, " vxlan.calico") {
			t.Errorf("the network of pods on %s is not Calico's:\n%s", node, got)
		}
	}
	if want, got := "all 2 pods reach each other", answer(t, "/cgi-bin/all"); !strings.Contains(got, want) {
		t.Errorf("the pods say %q, want %q", got, want)
	}
	image := pinned(t, "calico_node").Reference()
	if got := a.get(t, "pods", "--namespace", "kube-system", "--selector", "k8s-app=calico-node", "--output", `jsonpath={range .items[*]}{.status.containerStatuses[0].ready} {.status.containerStatuses[0].image}{"\n"}{end}`); strings.Count(got, "true "+image) != 2 {
		t.Errorf("Calico's pods on nodes are\n%s", got)
	}
	if got := a.get(t, "daemonsets", "--all-namespaces", "--output", "name"); strings.Contains(got, "flannel") {
		t.Errorf("flannel is there too:\n%s", got)
	}
}

// siteOfItsOwn is a web site at a name of its own, beside the sample, which has no name.
const siteOfItsOwn = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: site, namespace: kinit-sample}
spec:
  selector: {matchLabels: {app: site}}
  template:
    metadata: {labels: {app: site}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: web
          image: IMAGE
          command: [sh, -c, "mkdir /tmp/www && echo this is the site >/tmp/www/index.html && exec httpd -f -p 8080 -h /tmp/www"]
          readinessProbe: {httpGet: {port: 8080, path: /}, periodSeconds: 3}
---
apiVersion: v1
kind: Service
metadata: {name: site, namespace: kinit-sample}
spec:
  selector: {app: site}
  ports: [{name: http, port: 80, targetPort: 8080}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: site, namespace: kinit-sample}
spec:
  rules:
    - host: site.example
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: site, port: {name: http}}}}]}
`

// ingress makes an Ingress, which the addon of this name serves.
func (a *api) ingress(t *testing.T) {
	t.Helper()
	image := a.get(t, "daemonset", "sample", "--namespace", "kinit-sample", "--output", "jsonpath={.spec.template.spec.containers[0].image}")
	a.apply(t, strings.Replace(siteOfItsOwn, "IMAGE", image, 1))
	const want = "this is the site\n 200"
	got := ""
	for deadline := time.Now().Add(apiPatience); got != want && time.Now().Before(deadline); time.Sleep(time.Second) {
		got = answer(t, "/", "Host: site.example")
	}
	if got != want {
		t.Errorf("site.example answers %q, want %q", got, want)
	}
	if got := answer(t, "/", "Host: other.example"); !strings.HasPrefix(got, "hello from k8s-podman-") || !strings.HasSuffix(got, " 200") {
		t.Errorf("other.example answers %q, which is not the sample", got)
	}
	if got, class := a.get(t, "ingress", "site", "--namespace", "kinit-sample", "--output", "jsonpath={.spec.ingressClassName} {.status.loadBalancer.ingress[*].ip}"), "traefik "; !strings.HasPrefix(got, class) || got == class {
		t.Errorf("the Ingress has the class and the address %q", got)
	}
}

// complaint writes what a kernel writes when it has killed a process, which node-problem-detector reports.
func (a *api) complaint(t *testing.T) {
	t.Helper()
	process := "e2e-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	on(t, "tyto", `echo "<3>Killed process 4711 (`+process+`) total-vm:1kB, anon-rss:1kB, file-rss:1kB" >/dev/kmsg`)
	said := ""
	for deadline := time.Now().Add(apiPatience); !strings.Contains(said, process) && time.Now().Before(deadline); time.Sleep(time.Second) {
		said = a.get(t, "events", "--all-namespaces", "--field-selector", "reason=OOMKilling,involvedObject.name=k8s-podman-compute-01", "--output", "jsonpath={.items[*].message}")
	}
	if !strings.Contains(said, process) {
		t.Errorf("the events of k8s-podman-compute-01 do not name %s after %s:\n%s", process, apiPatience, said)
	}
}

// answer is what the load balancer of the lab's cluster says at its published port 80, its status at
// the end.
func answer(t *testing.T, path string, headers ...string) string {
	t.Helper()
	args := []string{"--silent", "--show-error", "--max-time", "60", "--write-out", " %{http_code}"}
	for _, header := range headers {
		args = append(args, "--header", header)
	}
	out, err := exec.CommandContext(t.Context(), "curl", append(args, "http://"+labAddress(10)+path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("ask for %s: %v\n%s", path, err, out)
	}
	return string(out)
}

// apply makes objects.
func (a *api) apply(t *testing.T, content string) {
	t.Helper()
	cmd := a.command(t.Context(), "apply", "--filename", "-")
	cmd.Stdin = strings.NewReader(content)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("kubectl apply: %v\n%s", err, out)
	}
}
