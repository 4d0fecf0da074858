# Whether hosts are fit to be hypervisors of clusters: each probe looks at one thing of
# a host and prints ok, note or fail, and what it saw. Nothing is changed.

import {
  source = "hypervisors"
}

variable "least_memory_gib" {
  type        = number
  default     = 4
  description = "How much memory must be free for guests, in GiB."
}

locals {
  # What each system calls packages.
  prepared = jsondecode(file("../common/hypervisors.json"))

  # In the order they are shown. A remedy says what to do when a probe is not ok.
  probes = [
    {
      name = "cpu", arguments = []
      remedy = fold(<<-EOT
        Enable virtualisation (VT-x, AMD-V) in the firmware, or nested virtualisation where the host is a guest
        itself. Without it, --var virt_type=qemu emulates in software, slowly.
        EOT
      )
    },
    {
      name = "kvm", arguments = [var.virt_type]
      remedy = fold(<<-EOT
        Load the module kvm_intel or kvm_amd, let root use /dev/kvm, and end other hypervisors such as VirtualBox.
        Without it, --var virt_type=qemu emulates in software, slowly.
        EOT
      )
    },
    {
      name = "memory", arguments = [tostring(var.least_memory_gib)]
      remedy = fold(<<-EOT
        End what takes memory, use more hypervisors, or give the guests less: --var controller_memory=…,
        compute_memory=….
        EOT
      )
    },
    {
      name   = "disk", arguments = [tostring(var.least_room_gib), "/var/lib/libvirt/images", "/var/lib/containers"]
      remedy = "Make room on the file system, or mount a larger one there."
    },
    {
      name = "packages", arguments = []
      remedy = fold(<<-EOT
        Add the distribution's package sources, and read them by 'apt-get update' or 'dnf makecache'. kinit prepares
        Debian 12 and newer, Ubuntu, Fedora, and RHEL 9 and 10 with what is made from them.
        EOT
      )
    },
    {
      name = "modules", arguments = [var.datapath]
      remedy = fold(<<-EOT
        Install the kernel's extra modules (linux-modules-extra on Ubuntu), and load what is missing with modprobe.
        Without them, --var datapath=netdev switches in userspace, slower.
        EOT
      )
    },
    {
      name = "libvirt", arguments = []
      remedy = fold(<<-EOT
        Start it: 'systemctl enable --now libvirtd' or, on Fedora and RHEL, 'virtqemud.socket', and read the log by
        'journalctl -u'.
        EOT
      )
    },
    {
      name = "mtu", arguments = []
      remedy = fold(<<-EOT
        Give the interface that leads to the other hypervisors an MTU of 1500 or more; the overlay takes 58 bytes of
        it.
        EOT
      )
    },
    {
      name   = "time", arguments = []
      remedy = "Keep the time: install systemd-timesyncd or chrony, and 'timedatectl set-ntp true'."
    },
    {
      name = "firewall", arguments = []
      remedy = fold(<<-EOT
        Have these rules by ufw or firewalld. Otherwise let in UDP 6081 and TCP 6642 from the other hypervisors and
        the published ports, and forward what comes in by br-ex.
        EOT
      )
    },
    {
      name = "selinux", arguments = []
      remedy = fold(<<-EOT
        kinit was never run under SELinux. If something is denied, 'ausearch --message avc --start recent' says what;
        'setenforce 0' lets it pass until the next boot.
        EOT
      )
    },
  ]
}

# What time it is here, to compare with.
task "command" "clock" {
  argv      = ["date", "+%s"]
  read_only = true
}

# The name of the host's system among them, or nothing.
task "command" "system" {
  hosts     = run.hosts
  argv      = concat(["sh", "-c", file("../common/files/system.sh"), "system"], keys(local.prepared))
  ok_codes  = range(256)
  read_only = true
  timeout   = "1m"
}

task "command" "probe" {
  for_each = {
    for pair in setproduct(run.hosts, local.probes) :
    "${pair[0]}/${pair[1].name}" => { host = pair[0], probe = pair[1] }
  }
  host = each.value.host
  argv = concat(
    ["sh", "-c", file("files/${each.value.probe.name}.sh"), each.value.probe.name],
    each.value.probe.arguments,
    each.value.probe.name != "packages" ? [] : try(concat(
      local.prepared[task.command.system[each.value.host].stdout].repositories,
      coalesce(var.hypervisor_packages, local.prepared[task.command.system[each.value.host].stdout].hypervisor),
      coalesce(var.overlay_packages, local.prepared[task.command.system[each.value.host].stdout].overlay),
      coalesce(var.libvirt_packages, local.prepared[task.command.system[each.value.host].stdout].libvirt),
      coalesce(var.podman_packages, local.prepared[task.command.system[each.value.host].stdout].podman),
    ), []),
  )
  env = { HERE = trimspace(task.command.clock.stdout) }
  # A probe that breaks is a finding too.
  ok_codes  = range(256)
  read_only = true
  timeout   = "1m"
}

output "findings" {
  value = [
    for pair in setproduct(run.hosts, local.probes) : {
      host  = pair[0]
      probe = pair[1].name
      level = try(regex("^(ok|note|fail) ", task.command.probe["${pair[0]}/${pair[1].name}"].stdout)[0], "fail")
      detail = try(
        trimspace(regex("^(?:ok|note|fail) ((?s).*)", task.command.probe["${pair[0]}/${pair[1].name}"].stdout)[0]),
        trimspace(task.command.probe["${pair[0]}/${pair[1].name}"].stderr),
      )
      remedy = pair[1].remedy
    }
  ]
}
