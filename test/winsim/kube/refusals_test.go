package kube_test

import (
	"strings"
	"testing"

	"kinit/test/winsim/machine"
)

// login is a kubeconfig whose server nothing asks.
const login = `{"apiVersion": "v1", "kind": "Config", "current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}], "users": [{"name": "u", "user": {"token": "t"}}]}`

// TestProgramsOfANodeRefuseWrongCommandLinesAndFiles starts the programs as kinit does, with one mistake each.
func TestProgramsOfANodeRefuseWrongCommandLinesAndFiles(t *testing.T) {
	t.Parallel()
	w := boot(t)
	w.put(`C:\k\login.conf`, login)
	const (
		proxy    = `--kubeconfig=C:/k/login.conf --proxy-mode=kernelspace --hostname-override=w1 --cluster-cidr=10.244.0.0/16 --network-name=flannel.4096`
		flanneld = `--kube-subnet-mgr --ip-masq --iface=192.0.2.10 --kubeconfig-file=C:/k/login.conf --net-config-path=C:/k/net-conf.json`
		conf     = `{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789, "Name": "flannel.4096"}}`
		kubelet  = `--hostname-override=w1 --config=C:/var/lib/kubelet/config.yaml --kubeconfig=C:/etc/kubernetes/kubelet.conf`
	)
	for _, tc := range []struct {
		what, program, version, args string
		file, content                string
		want                         string
	}{
		{"a flag that is no flag", "kube-proxy", "v1.34.4", proxy + " --hostname=w1", "", "", "unknown flag: --hostname"},
		{"a mode of Linux", "kube-proxy", "v1.34.4", strings.Replace(proxy, "kernelspace", "iptables", 1), "", "", "must be kernelspace or blank"},
		{"no network", "kube-proxy", "v1.34.4", strings.Replace(proxy, " --network-name=flannel.4096", "", 1), "", "", "network-flag not initialized"},
		{"a kubeconfig that is not there", "kube-proxy", "v1.34.4", strings.Replace(proxy, "login.conf", "other.conf", 1), "", "", "other.conf"},
		{"DSR in 1.32", "kube-proxy", "v1.32.9", proxy + " --enable-dsr=true", "", "", "WinDSR feature gate not enabled"},
		{"DSR in 1.33 with its gate off", "kube-proxy", "v1.33.5", proxy + " --enable-dsr=true --feature-gates=WinDSR=false", "", "", "WinDSR feature gate not enabled"},
		{"the gate of DSR off in 1.34", "kube-proxy", "v1.34.4", proxy + " --feature-gates=WinDSR=false", "", "", "feature is locked to true"},
		{"a gate that is no gate", "kube-proxy", "v1.34.4", proxy + " --feature-gates=WinDsr=true", "", "", "unrecognized feature gate: WinDsr"},
		{"a flag of another program", "flanneld", "v0.26.7", flanneld + " --kubeconfig=C:/k/login.conf", `C:\k\net-conf.json`, conf, "kubeconfig"},
		{"no node", "flanneld", "v0.26.7", flanneld, `C:\k\net-conf.json`, conf, "POD_NAME and POD_NAMESPACE must be set"},
		{"a network without a file", "flanneld", "v0.26.7", strings.Replace(flanneld, "net-conf.json", "no-conf.json", 1), "", "", "failed to create SubnetManager"},
		{"a flag of a later kubelet", "kubelet", "v1.34.4", kubelet + " --pod-cidrs=10.244.0.0/24", "", "", "unknown flag: --pod-cidrs"},
		{"a configuration that is not there", "kubelet", "v1.34.4", kubelet, "", "", "failed to load kubelet config file"},
		{"a configuration of another kind", "kubelet", "v1.34.4", kubelet, `C:\var\lib\kubelet\config.yaml`, "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeProxyConfiguration\n", "KubeProxyConfiguration"},
		{"a configuration that is no TOML", "containerd", "2.1.4", "", `C:\Program Files\containerd\config.toml`, "version = 2\nroot\n", "failed to load TOML"},
	} {
		folder := `C:\k\`
		if tc.program == "containerd" {
			folder = `C:\Program Files\containerd\`
		}
		w.put(folder+tc.program+".exe", string(machine.Stand(tc.program, tc.version)))
		if tc.file != "" {
			w.put(tc.file, tc.content)
		}
		code, out := w.run(folder+tc.program+".exe", strings.Fields(tc.args)...)
		if code == 0 || !strings.Contains(out, tc.want) {
			t.Errorf("%s, %s: code %d, %q, want %q", tc.program, tc.what, code, out, tc.want)
		}
	}
}
