# nodes: what all nodes of Kubernetes have in common, and its names and networks.

locals {
  controller_os = "linux" # there is no control plane for Windows
  # Addresses of services mean something in the cluster alone: a port that a service does not
  # have, which kube-proxy lets pass, must not be looked for in another network.
  inside_networks = [var.service_cidr]
  # Pods ask the name server too.
  pod_networks = [var.pod_cidr]
  # Their packets are on the nodes' network as they are, where no tunnel carries them.
  routed_networks = {
    for name in keys(cluster.nodes) :
    name => [local.ovn_routes ? local.pod_subnets[name] : var.pod_cidr]
    if contains(["flannel-host-gw", "ovn-routes"], local.pod_network) && cluster.nodes[name].overlay
  }
  # Modules of the kernel, each with a file that is there when the kernel has it.
  kernel_modules = merge(local.nfs_modules, {
    overlay      = "/sys/module/overlay"
    br_netfilter = "/proc/sys/net/bridge/bridge-nf-call-iptables"
  })
}

locals {
  api     = "api.${cluster.domain}"
  api_url = "https://api.${cluster.domain}:${local.api_port}"

  # The port of the services' hypervisor that leads to the API servers.
  outside_port = [for outside, inside in var.published_ports : outside if inside == 6443][0]

  # The controller that made the cluster, or, when that has left, one that knows it since. A cluster
  # without any node has an error of its own.
  first_node        = try(cluster.leads.controller, local.all_nodes[0], local.first_hypervisor)
  other_controllers = [for c in local.controllers : c.name if c.name != local.first_node]
  all_nodes         = keys(local.linux_nodes)

  windows_names = keys(local.windows_nodes)
  has_windows   = length(local.windows_nodes) > 0

  # What carries packets between pods: the spec says it in the cluster's vars, or a
  # variable for all.
  pod_network = lookup(cluster.vars, "pod_network", var.pod_network)
}

# What nodes and pods are configured with when they join, and what no run can change on all of them.
record {
  fixed = {
    pod_network  = local.build ? local.pod_network : null
    pod_cidr     = local.build ? var.pod_cidr : null
    service_cidr = local.build ? var.service_cidr : null
  }
}

# What a node is decides how its services divide it: one that is a container shares its
# hypervisor's kernel, and control groups of version 1 are not for systemd to manage there.
task "facts" "node" {
  stage = "nodes"
  hosts = local.all_nodes
}

block "kernel" {
  stage = "cluster"
  hosts = local.all_nodes

  # What every further task on a node stands on: the kernel's part.
  task "copy" "modules" {
    dest    = "/etc/modules-load.d/kinit.conf"
    content = "overlay\nbr_netfilter\n"
  }

  task "command" "modules" {
    argv       = ["modprobe", "-a", "overlay", "br_netfilter"]
    creates    = "/proc/sys/net/bridge/bridge-nf-call-iptables"
    depends_on = [task.copy.modules]
  }

  task "sysctl" "node" {
    for_each = {
      for pair in setproduct(local.all_nodes, ["net.ipv4.ip_forward", "net.bridge.bridge-nf-call-iptables"]) :
      "${pair[0]}/${pair[1]}" => { node = pair[0], name = pair[1] }
    }
    host       = each.value.node
    name       = each.value.name
    value      = "1"
    depends_on = [task.command.modules]
  }
}
