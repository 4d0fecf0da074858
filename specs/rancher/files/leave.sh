
# ${name}: its programs, the containers that live on without it, and what pods and their network left.
for unit in ${join(" ", units)}; do
	systemctl stop "$unit" 2>/dev/null || true
done
# below PID: the processes that PID started, and PID.
below() {
	for child in $(pgrep -P "$1"); do below "$child"; done
	echo "$1"
}
for link in /proc/[0-9]*/exe; do
	case "$(readlink "$link" 2>/dev/null)" in
	/var/lib/rancher/${name}/data/*) link=$${link%/exe} && below "$${link##*/}" ;;
	esac
done | sort -u | xargs -r kill -9 2>/dev/null || true
mount | awk '$3 ~ "^/run/k3s/" || $3 ~ "^/var/lib/kubelet/" || $3 ~ "^/var/lib/rancher/${name}/" || $3 ~ "^/run/netns/cni-" { print $3 }' |
	sort -r | while read -r path; do umount "$path" || umount -l "$path"; done
rm -f /run/netns/cni-*
for device in $(ip -o link show | sed 's/^[0-9]*: \([^:@]*\).*/\1/' | grep -x -e 'flannel\..*' -e cni0 -e 'cali.*'); do
	ip link del "$device" 2>/dev/null || true
done
for tool in iptables ip6tables; do
	command -v "$tool-save" >/dev/null 2>&1 || continue
	"$tool-save" | grep -v -e KUBE- -e FLANNEL- -e CNI- -e cali | "$tool-restore"
done
if command -v ipset >/dev/null 2>&1; then
	ipset list -n | grep -e '^KUBE-' -e '^inet6:KUBE-' -e '^cali' | xargs -r -n 1 ipset destroy || true
fi
for family in ip ip6; do
	nft delete table "$family" kube-proxy 2>/dev/null || true
done
rm -rf /run/k3s /run/flannel /var/lib/cni /var/lib/kubelet /var/log/pods /var/log/containers /var/lib/rancher/${name} /etc/rancher/${name} /etc/rancher/node
rmdir /var/lib/rancher /etc/rancher 2>/dev/null || true
