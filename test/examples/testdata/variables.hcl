# An example of each variable of clusters: docs/variables.md shows it, and a cluster is made
# of it.
addons                   = ["metrics-server", "local-path"]
address_packages         = ["keepalived"]
allow_unpinned           = true
allow_untested           = true
backup                   = { file = "/srv/k8s.backup", replace = false, recipients = ["age1wks8qxq2hud5ys884dkp28epc3y4947l9czvyjdve68kxupn5ftscjvsh8"], program = "v1" }
backup_passphrase        = "correct horse battery staple"
boot_timeout             = "10m"
boot_silence             = "5m"
calico_operator          = { url = "https://mirror.example/tigera-operator.yaml" }
calico_url               = "https://mirror.example/calico/manifests"
cluster_timeout          = "20m"
component_args           = { apiserver = { "audit-log-maxage" = "7" } }
component_env            = { etcd = { GOMAXPROCS = "2" } }
central_packages         = ["ovn-central"]
compute_disk             = "80GiB"
compute_hosts            = ["b"]
compute_memory           = "16GiB"
compute_os               = "ubuntu-24.04"
compute_overlay          = true
compute_vcpus            = 8
container_images         = { "registry.k8s.io/pause:3.10.1" = "docker://mirror.example/pause:3.10.1" }
container_runtime        = "upstream"
controller_disk          = "40GiB"
controller_hosts         = ["b"]
controller_memory        = "8GiB"
controller_overlay       = true
controller_vcpus         = 4
datapath                 = "netdev"
disk_cache               = "unsafe"
debian_mirror            = "http://mirror.example"
dns_public               = ["192.0.2.53"]
drain_timeout            = "30m"
upgrade_serial           = "25%"
encapsulation_address    = { nyctea = "198.51.100.10" }
ovn_databases            = 1
files_port               = 8081
flannel_images           = { flannel = "mirror.example/flannel:v0.26.7", plugin = "mirror.example/flannel-cni-plugin:v1.6.2-flannel1" }
eksd_url                 = "https://mirror.example/eks-distro"
guest_image              = { url = "https://mirror.example/debian-12.qcow2", sha512_url = "https://mirror.example/SHA512SUMS" }
guest_packages           = ["open-iscsi"]
guest_user               = "kinit"
host_packages            = ["ca-certificates", "curl", "iproute2", "procps", "kmod", "chrony"]
hypervisor_packages      = ["podman", "crun", "skopeo", "nftables", "iproute2", "ethtool", "curl"]
ignore_preflight         = ["NumCPU"]
image_mirrors            = { "docker.io" = "mirror.example:5000/docker.io" }
ingress_node_ports       = { "80" = 31080, "443" = 31443 }
k3s_url                  = "https://mirror.example/k3s"
kubectl                  = "/usr/local/bin/kubectl"
kubernetes_preinstalled  = true
kubernetes_url           = "https://mirror.example/release"
kubernetes_version       = "v1.34.4"
least_room_gib           = 50
libvirt_packages         = ["libvirt-daemon-system", "libvirt-clients", "qemu-system-x86", "qemu-utils", "ovmf"]
liveness_failures        = 30
mirror_images            = ["nginx:1.27", "quay.io/prometheus/prometheus:v3.0.0"]
network_cidr             = "10.8.0.0/24"
nfs                      = { server = "files.example.org", path = "/export" }
node_image               = { name = "mirror.example/debian:12" }
node_image_packages      = ["systemd", "systemd-sysv", "dbus", "openssh-server", "ca-certificates", "curl", "kmod", "procps", "iproute2"]
overlay_packages         = ["openvswitch-switch", "ovn-host"]
pause_image              = "registry.k8s.io/pause:3.10.1"
pins                     = { haproxy = { version = "3.0", image = "mirror.example/haproxy" } }
pod_cidr                 = "10.200.0.0/16"
pod_network              = "flannel-host-gw"
podman_packages          = ["runc"]
published_ports          = { "16443" = 6443, "8080" = 80, "8443" = 443 }
readiness_period         = 5
registry_logins          = { "quay.io" = { user = "robot", password = "opensesame" } }
restore                  = { file = "/srv/k8s.backup", id = "0d0c", cluster = "k8s-libvirt", made = "2026-11-24 02:00 UTC", names = ["pki/ca.crt", "pki/ca.key", "pki/sa.key", "pki/sa.pub", "pki/front-proxy-ca.crt", "pki/front-proxy-ca.key", "pki/etcd/ca.crt", "pki/etcd/ca.key"], snapshot_sha256 = "66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3", about = { kubernetes = "v1.34.4", domain = "k8s-libvirt.kinit.local", pod_cidr = "10.244.0.0/16", service_cidr = "10.96.0.0/12", first = "a", services = "a" } }
restore_identities       = "AGE-SECRET-KEY-…"
restore_passphrase       = "correct horse battery staple"
restore_texts            = { "pki/ca.key" = "-----BEGIN…" }
registry_port            = 5001
sample_image             = "docker.io/library/busybox:1.36"
service_cidr             = "10.100.0.0/16"
service_commands         = { haproxy = ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"], dns = ["named", "-g"], registry = ["registry", "serve"], web = ["nginx"] }
service_health           = { web = ["curl", "--fail", "http://127.0.0.1:8080/healthz"], dns = [] }
rke2_url                 = "https://mirror.example/rke2"
runtime_url              = "https://mirror.example"
service_images           = { haproxy = { name = "mirror.example/haproxy:2.9" } }
virt_type                = "qemu"
windows_boot_timeout     = "90m"
windows_drivers          = { url = "/srv/iso/virtio-win.iso" }
windows_firmware         = "bios"
windows_image            = { url = "/srv/images/windows-2022.qcow2" }
windows_image_name       = "Windows Server 2022 SERVERSTANDARDCORE"
windows_image_size       = "60GiB"
windows_install_timeout  = "5h"
windows_activation       = "online"
windows_iso              = { url = "/srv/iso/windows-server-2022.iso" }
windows_least_memory_gib = 6
windows_locale           = "de-DE"
windows_openssh          = { url = "/srv/iso/OpenSSH-Win64.msi" }
windows_pause_image      = "mcr.microsoft.com/oss/kubernetes/pause:3.10"
windows_payloads         = { crictl = { url = "https://mirror.example/crictl-windows-amd64.tar.gz" } }
windows_product_key      = "XXXXX-XXXXX-XXXXX-XXXXX-XXXXX"
