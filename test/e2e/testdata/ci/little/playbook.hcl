# Whatever a deployment leaves on a hypervisor, without waiting for a guest to boot.

stage "build" {}

stage "verify" {
  after = ["build"]
}

stage "cleanup" {
  after = ["verify"]
}

locals {
  build      = run.stop_after != "cleanup"
  remove_all = run.recreate || run.stop_after == "cleanup"
}

task "directory" "settings" {
  stage = "build"
  when  = local.build
  hosts = run.hosts
  path  = "/etc/kinit/little"
}

task "copy" "settings" {
  stage   = "build"
  when    = local.build
  hosts   = run.hosts
  dest    = "${task.directory.settings[host.name].path}/settings"
  content = "name = ${host.name}\n"
}

task "nft_table" "little" {
  stage   = "build"
  when    = local.build
  hosts   = run.hosts
  name    = "little"
  content = <<-EOT
    chain input {
      type filter hook input priority filter; policy accept;
    }
  EOT
}

task "systemd_unit" "little" {
  stage   = "build"
  when    = local.build
  hosts   = run.hosts
  name    = "kinit-little"
  enabled = true
  state   = "started"
  content = <<-EOT
    [Service]
    ExecStart=/usr/bin/sleep infinity

    [Install]
    WantedBy=multi-user.target
  EOT
}

task "ovs_bridge" "little" {
  stage = "build"
  when  = local.build
  hosts = run.hosts
  name  = "br-little"
  # Switched by a process, so that a kernel without Open vSwitch will do.
  datapath_type = "netdev"
}

task "libvirt_volume" "little" {
  stage = "build"
  when  = local.build
  hosts = run.hosts
  name  = "little"
  size  = "16MiB"
}

# Its disk is empty: the firmware says so, and the domain runs.
task "libvirt_domain" "little" {
  stage     = "build"
  when      = local.build
  hosts     = run.hosts
  name      = "little"
  vcpus     = 1
  memory    = "64MiB"
  virt_type = "qemu"
  disk      = task.libvirt_volume.little[host.name].path

  nic {
    bridge  = task.ovs_bridge.little[host.name].name
    mac     = "52:54:00:6c:74:6c"
    port_id = "6c697474-6c65-4000-8000-000000000001"
  }
}

task "command" "runs" {
  stage     = "verify"
  when      = local.build
  hosts     = run.hosts
  argv      = ["virsh", "--connect", "qemu:///system", "domstate", task.libvirt_domain.little[host.name].name]
  read_only = true
  expect    = "running"
}

task "libvirt_sweep" "owned" {
  stage        = "cleanup"
  hosts        = run.hosts
  all          = local.remove_all
  keep         = ["little"]
  keep_volumes = ["/var/lib/libvirt/images/little.qcow2"]
}

task "ovs_sweep" "owned" {
  stage      = "cleanup"
  hosts      = run.hosts
  all        = local.remove_all
  keep       = ["br-little"]
  depends_on = [task.libvirt_sweep.owned]
}

task "sweep" "owned" {
  stage      = "cleanup"
  when       = local.remove_all
  hosts      = run.hosts
  all        = true
  depends_on = [task.ovs_sweep.owned]
}

output "leftovers" {
  value = !local.remove_all ? null : sum(concat(
    [for h in run.hosts : task.libvirt_sweep.owned[h].count],
    [for h in run.hosts : task.ovs_sweep.owned[h].count],
    [for h in run.hosts : try(coalesce(task.sweep.owned[h].count, 0), 0)],
  ))
}
