
# Kubernetes: kubeadm's part, then what pods and their network left.
if [ -e /etc/kubernetes/kubelet.conf ] || [ -e /var/lib/kubelet/config.yaml ]; then
	kubeadm reset --force >/dev/null
fi
systemctl stop kubelet.service 2>/dev/null || true
for device in flannel.1 flannel.4096 cni0 vxlan.calico; do
	ip link del "$device" 2>/dev/null || true
done
for tool in iptables ip6tables; do
	command -v "$tool-save" >/dev/null 2>&1 || continue
	"$tool-save" | grep -v -e KUBE- -e FLANNEL- -e 'CNI-' -e cali | "$tool-restore"
done
if command -v ipset >/dev/null 2>&1; then
	ipset list -n | grep '^cali' | xargs -r -n 1 ipset destroy || true
fi
for family in ip ip6; do
	nft delete table "$family" kube-proxy 2>/dev/null || true
done
if [ -d /opt/cni/bin ]; then
	find /opt/cni/bin/ -type l -lname '/usr/local/lib/kinit/*' -delete
	[ /opt/cni/bin -ef /usr/lib/cni ] || find /opt/cni/bin/ -type l -lname '/usr/lib/cni/*' -delete
	[ -L /opt/cni/bin ] || rmdir /opt/cni/bin /opt/cni 2>/dev/null || true
fi
rm -rf /run/calico /var/lib/calico /var/log/calico /etc/cni/net.d/10-calico.conflist /etc/cni/net.d/calico-kubeconfig
rm -rf /run/flannel /var/lib/cni /etc/cni/net.d/10-flannel.conflist /etc/kubernetes/manifests /etc/kubernetes/pki /var/lib/etcd
rm -f /etc/kubernetes/*.conf /etc/kubernetes/kinit-kubeadm /etc/kubernetes/kinit-upgrade.yaml
rm -rf /etc/kubernetes/tmp
mount | awk '$3 ~ "^/var/lib/kubelet/" { print $3 }' | sort -r | while read -r path; do umount "$path" || umount -l "$path"; done
rm -rf /var/lib/kubelet

# The container runtime goes on with the configuration that it had before.
config=/etc/containerd/config.toml
if [ -e "$config.kinit-backup" ]; then cp -p "$config.kinit-backup" "$config"; else rm -f "$config"; fi
systemctl try-restart containerd.service
