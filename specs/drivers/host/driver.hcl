# host: a node is a machine that exists already. kinit prepares it, joins it, and at
# clean-up takes back what it did and nothing else. Here it runs Linux; windows.hcl is for
# those that run Windows, overlay.hcl for those that are on the cluster's overlay.
#
# Offers:
#   local.machine_device           the device of the overlay on machines
#   local.machines                 machines that run Linux
#   local.machines_beside          Linux machines beside the overlay
#   local.overlay_machines         Linux machines on the overlay
#   local.windows_beside           Windows machines of a cluster with an overlay
#   local.windows_machines         machines that run Windows
#   task.command.leave_overlay     deregisters machines as chassis when no cluster needs them
#   task.command.overlay_taken     checks that no other overlay has the machine
#   task.ovn_chassis.machine       makes machines chassis
#   task.ovs_sweep.machine         removes devices of machines at clean-up
#   task.service.overlay_switch    Open vSwitch on machines
#   task.sweep.machine             removes files of machines at clean-up
#   task.win_powershell.leftovers  whether a Windows machine is still in the cluster after clean-up
#
# Needs:
#   local.build                    whether the run goes on after clean-up
#   local.cluster_folder           the folder of the cluster on a hypervisor
#   local.datapath_type            the datapath of bridges, in Open vSwitch's words
#   local.devices_script           the script that restores devices after a restart
#   local.devices_unit             the text of the unit that runs it
#   local.host_system              packages and services of the system of a host
#   local.least_mtu                the smallest MTU that carries the overlay
#   local.leave_script             how a Linux machine leaves the distribution
#   local.management               the hypervisors' own ports on the overlay
#   local.management_device        the device of such a port
#   local.node_packages            packages that nodes need
#   local.offload                  whether network cards compute checksums
#   local.overlay                  whether the cluster has an overlay
#   local.overlay_mtu              the MTU inside the overlay
#   local.overlay_pki              the folder of keys for the overlay
#   local.remove_all               whether clean-up removes the whole cluster
#   local.services                 the services pod, or the first of several
#   local.services_address         where nodes find the services
#   local.southbound_remote        where chassis find the southbound database
#   local.windows_leave_script     how a Windows machine leaves the distribution
#   local.windows_traces           what the distribution leaves on Windows machines
#   var.overlay_packages           packages of hosts on the overlay
#   task.copy.overlay_ca           the certificate of the authority for the overlay, on each hypervisor
#   task.facts.underlay            the network that carries the overlay, on each host
#   task.firewall.southbound       lets others reach the southbound database
#   task.firewall.tunnels          lets the overlay's tunnels in
#   task.ovn_central.central       the relay of the databases on each hypervisor
#   task.ovn_sync.overlay          waits until chassis have the logical networks
#   task.package.repositories      package sources that a system has as packages
#   task.x509_certificate.chassis  certificates of the chassis

driver "host" {
  summary  = "nodes are machines that exist already, which pools name by hosts"
  existing = true
}

variable "host_packages" {
  type        = list(string)
  default     = ["ca-certificates", "curl", "iproute2", "procps", "kmod"]
  description = "Debian packages of machines that exist already; they stay at clean-up, unless --purge."
}

locals {
  host_nodes = { for name, node in cluster.nodes : name => node if node.driver == "host" }
  machines   = [for name, node in local.host_nodes : name if !startswith(node.os, "windows")]

  # Names by which machines find the services: in their own file, as their name servers stay.
  services_names = [
    "api.${cluster.domain}", "api-int.${cluster.domain}", "registry.${cluster.domain}",
    "services.${cluster.domain}",
  ]

  # Nodes on the overlay and machines beside it reach each other through the hypervisor of
  # the services: machines have a route, and the hypervisor answers for them.
  machines_beside = local.overlay ? [for name in local.machines : name if !local.host_nodes[name].overlay] : []
}

# A machine is in one cluster. What it belongs to is written on it, by kinit or by kubeadm.
task "command" "taken" {
  stage     = "validate"
  when      = local.build
  hosts     = local.machines
  argv      = ["sh", "-c", file("files/taken.sh"), "taken", cluster.name, local.cluster_folder]
  read_only = true
}

# A node keeps the address with which it joined. Asked before clean-up, which would take the
# port of one that is on the overlay and no longer wanted there.
task "command" "moved" {
  stage = "prepare"
  when  = !local.remove_all
  hosts = local.machines
  argv = [
    "sh", "-c", file("files/moved.sh"), "moved", local.cluster_folder, local.machine_device,
    local.host_nodes[host.name].overlay ? "on" : "beside",
  ]
  read_only = true
}

task "package" "machine" {
  stage   = "prepare"
  when    = local.build
  hosts   = local.machines
  names   = concat(var.host_packages, local.node_packages)
  timeout = "20m"
}

block "machines" {
  stage = "nodes"
  hosts = local.machines

  task "directory" "machine" {
    path = local.cluster_folder
    mode = "0700"
  }

  # How the machine leaves the cluster, written before it joins: clean-up needs nothing else.
  task "copy" "leave" {
    dest       = "${local.cluster_folder}/leave.sh"
    content    = "${file("files/leave.sh")}${local.leave_script}\ntouch ${local.cluster_folder}/left\n"
    mode       = "0700"
    depends_on = [task.directory.machine]
  }

  # One that has left and comes back has not left.
  task "file" "left" {
    path       = "${local.cluster_folder}/left"
    state      = "absent"
    depends_on = [task.directory.machine]
  }

  # The names of the services; the machine's own name servers stay.
  task "hosts_entry" "services" {
    address    = local.services_address
    names      = local.services_names
    depends_on = [task.copy.leave]
  }
}

task "systemd_unit" "overlay" {
  stage   = "nodes"
  hosts   = local.machines_beside
  name    = "kinit-${cluster.name}-overlay.service"
  enabled = true
  state   = "started"
  content = templatefile("files/overlay.service", {
    cluster = cluster.name
    cidr    = cluster.network.cidr
    gateway = task.facts.underlay[local.services.hypervisor].route_address
  })
  depends_on = [task.copy.leave]
}

task "nft_table" "machines" {
  stage   = "network"
  when    = length(local.machines_beside) + length(local.windows_beside) > 0
  host    = local.services.hypervisor
  family  = "ip"
  name    = "kinit_${replace(cluster.name, "-", "_")}_machines"
  content = templatefile("files/machines.nft", { cidr = cluster.network.cidr, device = local.management_device })
}

block "machines_leave" {
  stage = "cleanup"
  when  = local.remove_all
  hosts = local.machines

  # What a machine did for the cluster is undone on it, then what kinit made there.
  task "command" "leave_machine" {
    argv    = ["sh", "${local.cluster_folder}/leave.sh"]
    only_if = ["sh", "-c", "test -e ${local.cluster_folder}/leave.sh && test ! -e ${local.cluster_folder}/left"]
    timeout = "5m"
  }

  task "sweep" "machine" {
    all        = true
    purge      = run.purge
    depends_on = [task.command.leave_machine, task.ovs_sweep.machine]
  }
}
