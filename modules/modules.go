// Package modules lists the modules that ship with kinit.
package modules

import (
	"kinit/engine/module"
	"kinit/modules/alternatives"
	"kinit/modules/ansible"
	"kinit/modules/apt_repository"
	"kinit/modules/archive"
	"kinit/modules/assert"
	"kinit/modules/authorized_key"
	"kinit/modules/backup"
	"kinit/modules/block_in_file"
	"kinit/modules/cloudinit_seed"
	"kinit/modules/command"
	"kinit/modules/connection"
	"kinit/modules/copy"
	"kinit/modules/cron"
	"kinit/modules/debug"
	"kinit/modules/dnf_repository"
	"kinit/modules/download"
	"kinit/modules/etcd_leave"
	"kinit/modules/facts"
	"kinit/modules/fail"
	"kinit/modules/fetch"
	"kinit/modules/file"
	"kinit/modules/firewall"
	"kinit/modules/getent"
	"kinit/modules/git"
	"kinit/modules/group"
	"kinit/modules/hostname"
	"kinit/modules/hosts_entry"
	"kinit/modules/htpasswd"
	"kinit/modules/http_request"
	"kinit/modules/ini_file"
	jobwait "kinit/modules/job_wait"
	"kinit/modules/kernel_module"
	"kinit/modules/known_host"
	"kinit/modules/kubeadm"
	"kinit/modules/kubectl_apply"
	"kinit/modules/kubectl_drain"
	"kinit/modules/kubectl_versions"
	"kinit/modules/libvirt_domain"
	"kinit/modules/libvirt_sweep"
	"kinit/modules/libvirt_volume"
	"kinit/modules/line_in_file"
	"kinit/modules/local_facts"
	"kinit/modules/mount"
	"kinit/modules/netns"
	"kinit/modules/nft_table"
	"kinit/modules/ovn_central"
	"kinit/modules/ovn_chassis"
	"kinit/modules/ovn_leave"
	"kinit/modules/ovn_member"
	"kinit/modules/ovn_port"
	"kinit/modules/ovn_router"
	"kinit/modules/ovn_sweep"
	"kinit/modules/ovn_switch"
	"kinit/modules/ovn_sync"
	"kinit/modules/ovs_bridge"
	"kinit/modules/ovs_port"
	"kinit/modules/ovs_sweep"
	"kinit/modules/package"
	"kinit/modules/package_facts"
	"kinit/modules/podman_build"
	"kinit/modules/podman_container"
	"kinit/modules/podman_image"
	"kinit/modules/podman_network"
	"kinit/modules/podman_pod"
	"kinit/modules/podman_sweep"
	"kinit/modules/podman_volume"
	"kinit/modules/read_file"
	"kinit/modules/reboot"
	"kinit/modules/replace"
	"kinit/modules/script"
	"kinit/modules/secret"
	"kinit/modules/selinux"
	"kinit/modules/selinux_boolean"
	"kinit/modules/selinux_port"
	"kinit/modules/service"
	"kinit/modules/service_facts"
	"kinit/modules/shell"
	"kinit/modules/ssh_key"
	"kinit/modules/stat"
	"kinit/modules/sweep"
	"kinit/modules/sysctl"
	"kinit/modules/systemd_unit"
	"kinit/modules/template"
	"kinit/modules/timer"
	"kinit/modules/unarchive"
	"kinit/modules/user"
	"kinit/modules/wait"
	"kinit/modules/win_command"
	"kinit/modules/win_copy"
	"kinit/modules/win_defender_exclusion"
	"kinit/modules/win_download"
	"kinit/modules/win_env"
	"kinit/modules/win_facts"
	"kinit/modules/win_feature"
	"kinit/modules/win_file"
	"kinit/modules/win_firewall"
	"kinit/modules/win_hns_network"
	"kinit/modules/win_hostname"
	"kinit/modules/win_package"
	"kinit/modules/win_powershell"
	"kinit/modules/win_reboot"
	"kinit/modules/win_registry"
	"kinit/modules/win_scheduled_task"
	"kinit/modules/win_service"
	"kinit/modules/win_template"
	"kinit/modules/win_user"
	"kinit/modules/win_wait"
	"kinit/modules/windows_image"
	"kinit/modules/windows_install"
	"kinit/modules/windows_seed"
	"kinit/modules/x509_ca"
	"kinit/modules/x509_certificate"
	"kinit/modules/x509_facts"
	"kinit/modules/zypper_repository"
)

// All returns every module, by what it works on. A new module is added here.
func All() []module.Kind {
	all := []module.Kind{
		// Files, packages, services and processes of a host.
		assert.Kind(), command.Kind(), copyfile.Kind(), template.Kind(), download.Kind(),
		file.Kind(), file.DirectoryKind(), file.LinkKind(),
		stat.Kind(), readfile.Kind(), fetch.Kind(),
		lineinfile.Kind(), blockinfile.Kind(), replace.Kind(), inifile.Kind(), archive.Kind(), unarchive.Kind(), git.Kind(),
		shell.Kind(), script.Kind(), ansible.Kind(), httprequest.Kind(), debug.Kind(), fail.Kind(), connection.Kind(),
		ospkg.Kind(), alternatives.Kind(), service.Kind(), sysctl.Kind(),
		selinux.Kind(), selinuxboolean.Kind(), selinuxport.Kind(),
		nfttable.Kind(), firewall.Kind(), netns.Kind(),
		wait.Kind(), jobwait.Kind(), facts.Kind(), packagefacts.Kind(), servicefacts.Kind(), localfacts.Kind(), getent.Kind(),
		aptrepository.Kind(), dnfrepository.Kind(), zypperrepository.Kind(), systemdunit.Kind(), timer.Kind(), cron.Kind(),
		hostname.Kind(), hostsentry.Kind(), mount.Kind(), kernelmodule.Kind(), reboot.Kind(),
		// Users of a host, and who may log in.
		user.Kind(), group.Kind(), authorizedkey.Kind(), knownhost.Kind(),
		// Keys, certificates and secrets.
		x509ca.Kind(), x509cert.Kind(), x509facts.Kind(), sshkey.Kind(), secretvalue.Kind(), htpasswd.Kind(),
		// Guests.
		volume.Kind(), seed.Kind(), domain.Kind(), virtsweep.Kind(),
		winseed.Kind(), winimage.Kind(), wininstall.Kind(),
		// The overlay.
		ovsbridge.Kind(), ovsport.Kind(), ovsport.VethKind(),
		ovnswitch.Kind(), ovnswitch.DHCPKind(), ovnport.Kind(), ovncentral.Kind(), ovnmember.Kind(), ovnleave.Kind(), ovssweep.Kind(), ovnsweep.Kind(), ovnsync.Kind(), ovnchassis.Kind(),
		ovnrouter.Kind(), ovnrouter.PortKind(), ovnrouter.NATKind(), ovnrouter.RouteKind(),
		// Containers.
		podmanbuild.Kind(), podmanimage.Kind(), podmannetwork.Kind(), podmanvolume.Kind(), podmanpod.Kind(),
		podmancontainer.Kind(), podmansweep.Kind(),
		// Kubernetes.
		kubeadm.ConfigKind(), kubeadm.InitKind(), kubeadm.JoinKind(), kubeadm.CertsKind(), kubectlapply.Kind(), kubectldrain.Kind(), etcdleave.Kind(),
		kubeadm.UpgradeKind(), kubectlversions.Kind(), kubectldrain.UncordonKind(), etcdleave.SnapshotKind(),
		backup.Kind(), backup.PartKind(),
		// Windows hosts.
		wincommand.Kind(), winpowershell.Kind(), winfile.Kind(), wincopy.Kind(), wintemplate.Kind(), windownload.Kind(),
		winfeature.Kind(), winpackage.Kind(), winservice.Kind(), wintask.Kind(), winreboot.Kind(), winwait.Kind(), winfacts.Kind(),
		winregistry.Kind(), winenv.Kind(), winhostname.Kind(), winuser.Kind(), winfirewall.Kind(), windefender.Kind(), winhns.Kind(),
	}
	// What is left of an owner on a host.
	return append(all, sweep.Kind(module.MarkKinds(all)))
}
