# nodes: an image, a place on the overlay and a container for each node, then wait until
# it answers.

locals {
  # Everything the image is made of is in its name: another script makes another image.
  podman_script = templatefile("files/image.sh", {
    packages      = concat(var.node_image_packages, local.node_packages)
    debian_mirror = trimsuffix(var.debian_mirror, "/")
  })
  podman_images = {
    for node in distinct([
      for name, node in local.podman_nodes :
      { host = node.hypervisor, pin = local.node_pins[name] }
    ]) :
    "${node.host}/${node.pin}" => {
      host = node.host
      from = local.node_images[node.pin]
      image = format("localhost/kinit-node:%s", substr(
        sha256(jsonencode([local.node_images[node.pin], local.podman_script])), 0, 12
      ))
    }
  }

  podman_folder = { for name in keys(local.podman_nodes) : name => "${local.cluster_folder}/nodes/${name}" }
}

task "podman_image" "node" {
  stage    = "images"
  for_each = local.podman_images
  host     = each.value.host
  name     = each.value.from.name
  source   = each.value.from.archive
  keep     = true
  timeout  = "30m"
  advice = fold(<<-EOT
    Hypervisors fetch this image. The variable image_mirrors names another place of its registry, and node_image
    another image.
    EOT
  )
}

task "podman_build" "node" {
  stage    = "images"
  for_each = local.podman_images
  host     = each.value.host
  name     = each.value.image
  from     = task.podman_image.node[each.key].name
  script   = local.podman_script
  keep     = true
  timeout  = "30m"
  advice = fold(<<-EOT
    Packages of nodes come from
    ${var.debian_mirror == "" ? "where their image says" : trimsuffix(var.debian_mirror, "/")}. The variable
    debian_mirror names another site with the layout of deb.debian.org.
    EOT
  )
}

# What only this node has: who may log in, its host key, its name servers. It reads them
# from a folder of its hypervisor, so that its image has no secrets.
task "directory" "podman_nodes" {
  stage      = "network"
  hosts      = local.podman_hypervisors
  path       = "${local.cluster_folder}/nodes"
  mode       = "0700"
  depends_on = [task.directory.root]
}

task "directory" "podman_node" {
  stage      = "network"
  for_each   = local.podman_nodes
  host       = each.value.hypervisor
  path       = local.podman_folder[each.key]
  mode       = "0755"
  depends_on = [task.directory.podman_nodes]
}

block "podman_files" {
  stage      = "network"
  host       = each.value.hypervisor
  depends_on = [task.directory.podman_node]

  task "copy" "podman_keys" {
    for_each = local.podman_nodes
    dest     = "${local.podman_folder[each.key]}/authorized_keys"
    content  = "${task.ssh_key.cluster.public_key}\n"
    mode     = "0600"
  }

  task "copy" "podman_host_key" {
    for_each       = local.podman_nodes
    dest           = "${local.podman_folder[each.key]}/ssh_host_ed25519_key"
    content_secret = task.ssh_key.node[each.key].private_key
    mode           = "0600"
  }

  task "copy" "podman_resolv" {
    for_each = local.podman_nodes
    dest     = "${local.podman_folder[each.key]}/resolv.conf"
    content  = "search ${cluster.domain}\n${join("", [for address in local.name_servers : "nameserver ${address}\n"])}"
    mode     = "0644"
  }
}

# The node's network is there before the node and stays when it restarts.
task "netns" "node" {
  stage      = "nodes"
  for_each   = local.podman_nodes
  host       = each.value.hypervisor
  name       = "kinit-${each.key}"
  depends_on = [task.ovn_port.port[each.key]]
}

task "ovs_veth" "node" {
  stage      = "nodes"
  for_each   = local.podman_nodes
  host       = each.value.hypervisor
  name       = local.podman_devices[each.key]
  peer       = "eth0"
  netns      = task.netns.node[each.key].path
  bridge     = "br-int"
  iface_id   = each.value.port_id
  mac        = each.value.mac
  mtu        = local.overlay_mtu
  addresses  = ["${each.value.ip}/${cluster.network.prefix}"]
  routes     = { default = cluster.network.gateway }
  tx_offload = local.offload
  depends_on = [task.ovn_sync.overlay]
}

# Created once: another image or size applies to nodes that are recreated. /var is a volume of the
# container: what containers write lies on no overlay, and goes with the node.
task "podman_container" "node" {
  stage      = "nodes"
  for_each   = local.podman_nodes
  host       = each.value.hypervisor
  name       = each.key
  hostname   = each.key
  image      = task.podman_build.node["${each.value.hypervisor}/${local.node_pins[each.key]}"].name
  command    = ["/sbin/init"]
  runtime    = try(trimspace(task.command.podman_runtime[each.value.hypervisor].stdout), "")
  privileged = true
  # Not podman's own preparation for systemd: with control groups of version 1 it mounts
  # the hypervisor's, and the services of all would be in one tree.
  systemd  = "false"
  tmpfs    = ["/run", "/run/lock", "/tmp"]
  env      = { container = "podman" }
  networks = ["ns:${task.netns.node[each.key].path}"]
  ulimits  = ["host"]
  volumes = [
    "/var",
    "${local.podman_folder[each.key]}:/etc/kinit:ro",
    "${local.podman_folder[each.key]}/resolv.conf:/etc/resolv.conf:ro",
  ]
  options = [
    "--cgroupns=private", "--stop-signal=SIGRTMIN+3", "--pids-limit=-1", "--cpus=${each.value.vcpus}",
    "--memory=${each.value.memory_bytes}b",
    "--memory-swap=${each.value.memory_bytes}b",
  ]
  # A node that goes for good has nothing to write down.
  labels       = { "kinit.stop" = "0" }
  restart      = "always"
  stop_timeout = "30s"
  replace      = false
  depends_on = [
    task.ovs_veth.node[each.key], task.copy.podman_keys[each.key], task.copy.podman_host_key[each.key],
    task.copy.podman_resolv[each.key],
    task.sysctl.podman, task.command.podman_modules,
  ]
}

# After a start of the hypervisor: the nodes' networks first, then the nodes.
task "copy" "podman_boot" {
  stage = "nodes"
  hosts = local.podman_hypervisors
  dest  = "${local.cluster_folder}/nodes.sh"
  content = templatefile("files/nodes.sh", {
    nodes = [for name, node in local.podman_nodes : {
      name      = name
      netns     = task.netns.node[name].path
      namespace = task.netns.node[name].boot_script
      plug      = task.ovs_veth.node[name].boot_script
    } if node.hypervisor == host.name]
  })
  mode       = "0755"
  depends_on = [task.directory.podman_nodes]
}

task "service" "podman_boot" {
  stage   = "nodes"
  hosts   = local.podman_hypervisors
  name    = "kinit-${cluster.name}-nodes.service"
  enabled = true
  state   = "started"
  unit = templatefile("files/nodes.service", {
    cluster = cluster.name, switch = local.host_system.services.switch, script = "${local.cluster_folder}/nodes.sh",
  })
  depends_on = [task.copy.podman_boot, task.podman_container.node]
}

task "wait" "podman" {
  stage    = "nodes"
  for_each = local.podman_nodes
  host     = each.value.hypervisor
  address  = each.value.ip
  port     = 22
  banner   = "SSH-"
  within   = var.boot_timeout
  evidence = [
    ["podman", "ps", "--all", "--filter", "name=^${each.key}$"],
    ["podman", "exec", each.key, "systemctl", "--failed", "--no-legend", "--no-pager"],
    ["podman", "exec", each.key, "journalctl", "--boot", "--lines", "30", "--no-pager"],
  ]
  # The unit is part of how a node starts: a restart of it is a restart of the node.
  depends_on = [task.podman_container.node[each.key], task.service.podman_boot[each.value.hypervisor]]
}

# A container is a host like any other, reached through its hypervisor.
host "podman" {
  for_each    = local.podman_nodes
  name        = each.key
  address     = each.value.ip
  user        = "root"
  via         = each.value.hypervisor
  private_key = task.ssh_key.cluster.private_key
  host_keys   = [task.ssh_key.node[each.key].public_key]
  console     = ["podman", "exec", "--interactive", "--tty", each.key, "/bin/bash", "--login"]
  depends_on  = [task.wait.podman[each.key]]
}
