# ovn: pods of different nodes reach each other by the cluster's logical router, without a tunnel
# inside the overlay's. Chosen by pod_network = "ovn-routes". Each node has a bridge with
# a subnet of its own; nothing of this network runs in pods.

locals {
  ovn_routes = local.pod_network == "ovn-routes"
  ovn_nodes  = local.ovn_routes ? local.all_nodes : []

  # A node's subnet follows from its address: its place in the network of the nodes is the
  # subnet's place in the network of the pods, for as long as the node keeps its address.
  subnet_bits   = 32 - cluster.network.prefix
  subnet_prefix = try(tonumber(split("/", var.pod_cidr)[1]), 0) + local.subnet_bits
  node_places = {
    for name, node in local.overlay_nodes :
    name => try(
      sum([for i, byte in split(".", node.ip) : tonumber(byte) * pow(256, 3 - i)]) % pow(2, local.subnet_bits),
      0,
    )
    if local.ovn_routes
  }
  pod_subnets = {
    for name, place in local.node_places :
    name => try(cidrsubnet(var.pod_cidr, local.subnet_bits, place), var.pod_cidr)
  }

  # In the words of pod-cidrs.sh.
  pod_cidrs = flatten([for name, subnet in local.pod_subnets : [name, subnet]])
}

task "assert" "ovn" {
  stage = "validate"
  when  = local.build && local.ovn_routes
  early = true

  condition {
    holds = !local.has_windows
    message = fold(<<-EOT
      With pod_network = "ovn-routes" nodes run Linux: ${join(", ", local.windows_names)} runs Windows. Set
      pod_network to "flannel-vxlan".
      EOT
    )
  }

  condition {
    holds = length(cluster.nodes) == length(local.overlay_nodes)
    message = fold(<<-EOT
      With pod_network = "ovn-routes" all nodes are on the overlay, whose router knows their pods:
      ${join(", ", [for node in values(cluster.nodes) : node.name if !node.overlay])} is beside it. Give the pool
      overlay = true, or set pod_network to "flannel-vxlan".
      EOT
    )
  }

  # A kubelet runs 110 pods unless it is told otherwise.
  condition {
    holds = length(local.no_networks) > 0 || local.subnet_prefix <= 25
    message = fold(<<-EOT
      With pod_network = "ovn-routes" each address of the nodes' network ${cluster.network.cidr} has a subnet of the
      pods' network, so pod_cidr has a prefix of ${25 - local.subnet_bits} or less, and the kubelet's 110 pods have
      room in a subnet. It is ${var.pod_cidr}.
      EOT
    )
  }
}

# The way to a node's pods leads to the node.
task "ovn_route" "pods" {
  stage       = "network"
  for_each    = local.pod_subnets
  host        = local.first_hypervisor
  router      = task.ovn_router.cluster.name
  prefix      = each.value
  nexthop     = cluster.nodes[each.key].ip
  output_port = task.ovn_router_port.inside.name
}

block "pods" {
  stage = "cluster"
  hosts = local.ovn_nodes

  # Outside the network of pods no router has a route to them: there they have their node's address.
  # A machine that exists has its way out elsewhere, so it needs the one to pods.
  task "systemd_unit" "pods" {
    name    = "kinit-${cluster.name}-pods.service"
    enabled = true
    state   = "started"
    content = templatefile("files/pods.service", {
      cluster  = cluster.name
      pod_cidr = var.pod_cidr
      gateway  = cluster.network.gateway
      device   = contains(local.driver_chassis, host.name) ? local.machine_device : ""
    })
  }

  task "directory" "cni" {
    path = "/etc/cni/net.d"
    mode = "0755"
  }

  # With this file a node is Ready as soon as it has joined.
  task "copy" "cni" {
    dest = "/etc/cni/net.d/10-kinit.conflist"
    content = templatefile("files/cni.conflist", {
      subnet = local.pod_subnets[host.name]
      mtu    = local.overlay_mtu # as nodes have it
    })
    mode       = "0644"
    depends_on = [task.directory.cni, task.systemd_unit.pods]
  }
}

# The API says the same.
task "command" "pod_cidrs" {
  stage       = "verify"
  when        = local.build && local.ovn_routes
  host        = local.first_node
  environment = { KUBECONFIG = local.admin_conf }
  argv        = concat(["sh", "-c", file("files/pod-cidrs.sh"), "pod-cidrs", "set"], local.pod_cidrs)
  unless      = concat(["sh", "-c", file("files/pod-cidrs.sh"), "pod-cidrs", "check"], local.pod_cidrs)
  depends_on  = [task.wait.ready]
}
