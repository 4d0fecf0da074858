# host: a node is a machine that exists already. kinit prepares it, joins it, and at
# clean-up takes back what it did and nothing else. Here it runs Linux; windows.hcl is for
# those that run Windows, overlay.hcl for those that are on the cluster's overlay.

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
