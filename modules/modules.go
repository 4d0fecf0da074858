// Package modules lists the modules that ship with kinit.
package modules

import (
	"kinit/engine/module"
	"kinit/modules/aptrepository"
	"kinit/modules/archive"
	"kinit/modules/assert"
	"kinit/modules/authorizedkey"
	"kinit/modules/blockinfile"
	"kinit/modules/command"
	"kinit/modules/copyfile"
	"kinit/modules/cron"
	"kinit/modules/debug"
	"kinit/modules/dnfrepository"
	"kinit/modules/domain"
	"kinit/modules/download"
	"kinit/modules/facts"
	"kinit/modules/fail"
	"kinit/modules/file"
	"kinit/modules/git"
	"kinit/modules/group"
	"kinit/modules/hostname"
	"kinit/modules/hostsentry"
	"kinit/modules/htpasswd"
	"kinit/modules/httprequest"
	"kinit/modules/kernelmodule"
	"kinit/modules/knownhost"
	"kinit/modules/kubeadm"
	"kinit/modules/kubectlapply"
	"kinit/modules/lineinfile"
	"kinit/modules/mount"
	"kinit/modules/netns"
	"kinit/modules/nfttable"
	"kinit/modules/ospkg"
	"kinit/modules/ovncentral"
	"kinit/modules/ovnchassis"
	"kinit/modules/ovnport"
	"kinit/modules/ovnrouter"
	"kinit/modules/ovnsweep"
	"kinit/modules/ovnswitch"
	"kinit/modules/ovnsync"
	"kinit/modules/ovsbridge"
	"kinit/modules/ovsport"
	"kinit/modules/ovssweep"
	"kinit/modules/podmanbuild"
	"kinit/modules/podmancontainer"
	"kinit/modules/podmanimage"
	"kinit/modules/podmannetwork"
	"kinit/modules/podmanpod"
	"kinit/modules/podmansweep"
	"kinit/modules/podmanvolume"
	"kinit/modules/reboot"
	"kinit/modules/script"
	"kinit/modules/secretvalue"
	"kinit/modules/seed"
	"kinit/modules/service"
	"kinit/modules/shell"
	"kinit/modules/sshkey"
	"kinit/modules/sweep"
	"kinit/modules/sysctl"
	"kinit/modules/systemdunit"
	"kinit/modules/template"
	"kinit/modules/timer"
	"kinit/modules/unarchive"
	"kinit/modules/user"
	"kinit/modules/virtsweep"
	"kinit/modules/volume"
	"kinit/modules/wait"
	"kinit/modules/wincommand"
	"kinit/modules/wincopy"
	"kinit/modules/windefender"
	"kinit/modules/windownload"
	"kinit/modules/winenv"
	"kinit/modules/winfacts"
	"kinit/modules/winfeature"
	"kinit/modules/winfile"
	"kinit/modules/winfirewall"
	"kinit/modules/winhns"
	"kinit/modules/winhostname"
	"kinit/modules/winimage"
	"kinit/modules/wininstall"
	"kinit/modules/winpackage"
	"kinit/modules/winpowershell"
	"kinit/modules/winreboot"
	"kinit/modules/winregistry"
	"kinit/modules/winseed"
	"kinit/modules/winservice"
	"kinit/modules/wintask"
	"kinit/modules/wintemplate"
	"kinit/modules/winuser"
	"kinit/modules/winwait"
	"kinit/modules/x509ca"
	"kinit/modules/x509cert"
)

// All returns every module, by what it works on. A new module is added here.
func All() []module.Kind {
	return []module.Kind{
		// Files, packages, services and processes of a host.
		assert.Kind(), command.Kind(), copyfile.Kind(), template.Kind(), download.Kind(),
		file.Kind(), file.DirectoryKind(), file.LinkKind(),
		lineinfile.Kind(), blockinfile.Kind(), archive.Kind(), unarchive.Kind(), git.Kind(),
		shell.Kind(), script.Kind(), httprequest.Kind(), debug.Kind(), fail.Kind(),
		ospkg.Kind(), service.Kind(), sysctl.Kind(), nfttable.Kind(), netns.Kind(), wait.Kind(), facts.Kind(),
		aptrepository.Kind(), dnfrepository.Kind(), systemdunit.Kind(), timer.Kind(), cron.Kind(),
		hostname.Kind(), hostsentry.Kind(), mount.Kind(), kernelmodule.Kind(), reboot.Kind(),
		// Users of a host, and who may log in.
		user.Kind(), group.Kind(), authorizedkey.Kind(), knownhost.Kind(),
		// Keys, certificates and secrets.
		x509ca.Kind(), x509cert.Kind(), sshkey.Kind(), secretvalue.Kind(), htpasswd.Kind(),
		// Guests.
		volume.Kind(), seed.Kind(), domain.Kind(), virtsweep.Kind(),
		winseed.Kind(), winimage.Kind(), wininstall.Kind(),
		// The overlay.
		ovsbridge.Kind(), ovsport.Kind(), ovsport.VethKind(),
		ovnswitch.Kind(), ovnswitch.DHCPKind(), ovnport.Kind(), ovncentral.Kind(), ovssweep.Kind(), ovnsweep.Kind(), ovnsync.Kind(), ovnchassis.Kind(),
		ovnrouter.Kind(), ovnrouter.PortKind(), ovnrouter.NATKind(), ovnrouter.RouteKind(),
		// Containers.
		podmanbuild.Kind(), podmanimage.Kind(), podmannetwork.Kind(), podmanvolume.Kind(), podmanpod.Kind(),
		podmancontainer.Kind(), podmansweep.Kind(),
		// Kubernetes.
		kubeadm.ConfigKind(), kubeadm.InitKind(), kubeadm.JoinKind(), kubectlapply.Kind(),
		// Windows hosts.
		wincommand.Kind(), winpowershell.Kind(), winfile.Kind(), wincopy.Kind(), wintemplate.Kind(), windownload.Kind(),
		winfeature.Kind(), winpackage.Kind(), winservice.Kind(), wintask.Kind(), winreboot.Kind(), winwait.Kind(), winfacts.Kind(),
		winregistry.Kind(), winenv.Kind(), winhostname.Kind(), winuser.Kind(), winfirewall.Kind(), windefender.Kind(), winhns.Kind(),
		// What is left of an owner on a host.
		sweep.Kind(),
	}
}
