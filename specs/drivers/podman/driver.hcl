# podman: a node is a container that runs systemd, at the speed of its hypervisor, whose
# kernel it shares.
#
# Offers:
#   local.leaving_devices          devices of nodes that leave, by node
#   local.podman_devices           devices of nodes that are containers, by node
#   local.podman_nodes             nodes that are containers
#   local.podman_pins              names of the pins that containers need
#   var.node_image                 the image of nodes that are containers
#   task.service.podman_left_late  removes the unit of nodes from hypervisors that have none
#   task.sweep.podman_left         removes network namespaces of nodes that left
#
# Needs:
#   local.build              whether the run goes on after clean-up
#   local.cluster_folder     the folder of the cluster on a hypervisor
#   local.first_system       the system that "linux" means
#   local.host_system        packages and services of the system of a host
#   local.hypervisors        names of all hypervisors
#   local.kernel_modules     kernel modules that nodes need, and files that show that they are there
#   local.leaves             whether a node leaves
#   local.leaving_on         names of nodes that leave, by hypervisor
#   local.name_servers       addresses at which nodes resolve names
#   local.node_packages      packages that nodes need
#   local.offload            whether network cards compute checksums
#   local.overlay_mtu        the MTU inside the overlay
#   local.pinned             images with their digests
#   local.remove_all         whether clean-up removes the whole cluster
#   local.system             the system of each node
#   local.systems            the known systems, with images and packages
#   var.boot_timeout         how long a node may take to start
#   var.debian_mirror        where nodes with Debian get packages from
#   var.least_room_gib       how much room there must be for images and disks
#   var.podman_packages      packages of hypervisors with nodes that are containers
#   task.directory.root      the folder of the cluster
#   task.ovn_port.port       the nodes' ports on the overlay
#   task.ovn_sync.overlay    waits until chassis have the logical networks
#   task.ovs_sweep.left      removes devices of nodes that left
#   task.ovs_sweep.owned     removes devices at clean-up
#   task.package.hypervisor  packages of all hypervisors
#   task.podman_sweep.left   removes containers of nodes that left
#   task.podman_sweep.owned  removes containers at clean-up
#   task.ssh_key.cluster     the key by which kinit logs in to nodes
#   task.ssh_key.node        the nodes' own host keys

driver "podman" {
  summary = "nodes are systemd containers on the hypervisors"
  nodes   = file("files/there.sh")
}

variable "node_image" {
  type    = object({ name = string, archive = optional(string, "") })
  default = null
  description = fold(<<-EOT
    The image that all nodes are made from, in place of the pinned one of each system: a Debian or Ubuntu. With an
    archive (a path on the hypervisor) nothing is pulled.
    EOT
  )
}

variable "node_image_packages" {
  type = list(string)
  default = [
    "systemd", "systemd-sysv", "dbus", "openssh-server", "ca-certificates", "curl", "kmod", "procps", "iproute2",
    "iputils-ping", "bind9-dnsutils", "ethtool", "iptables", "nftables",
  ]
  description = "Debian packages of nodes that are containers; those that the image has are not installed."
}

locals {
  podman_nodes       = { for name, node in cluster.nodes : name => node if node.driver == "podman" }
  podman_hypervisors = distinct([for node in values(local.podman_nodes) : node.hypervisor])

  # The pin of each node's image; all have the one that is given.
  node_pins = {
    for name in keys(local.podman_nodes) :
    name => var.node_image != null
    ? "given"
    : try(coalesce(local.systems[local.system[name]].container), local.systems[local.first_system].container)
  }
  node_images = {
    for pin in distinct(values(local.node_pins)) :
    pin => var.node_image != null ? var.node_image : { name = local.pinned[pin], archive = "" }
  }
  podman_pins = var.node_image == null ? keys(local.node_images) : []

  # The node's end of the overlay on its hypervisor; a device has 15 characters at most.
  podman_devices = {
    for name, node in local.podman_nodes :
    name => "kn-${substr(sha256("${cluster.name}/${name}"), 0, 10)}"
  }

  # The nodes on each hypervisor, hypervisors without any, and the devices of nodes that leave.
  podman_by_hypervisor = { for name, node in local.podman_nodes : node.hypervisor => name... }
  podman_on            = { for h in local.hypervisors : h => lookup(local.podman_by_hypervisor, h, []) }
  podman_empty = [
    for h in local.hypervisors :
    h if length(local.podman_nodes) > 0 && length(local.podman_on[h]) == 0
  ]
  leaving_devices = {
    for name in keys(cluster.leaving) :
    name => "kn-${substr(sha256("${cluster.name}/${name}"), 0, 10)}"
  }

  # What nodes need of the kernel is the hypervisor's to load: the distribution names each
  # module with a file that is there when the kernel has it.
  podman_modules = {
    for pair in setproduct(local.podman_hypervisors, keys(local.kernel_modules)) :
    "${pair[0]}/${pair[1]}" => { host = pair[0], name = pair[1], shows = local.kernel_modules[pair[1]] }
  }
}

task "assert" "podman" {
  stage = "validate"
  when  = local.build && length(local.podman_nodes) > 0
  early = true

  condition {
    holds = alltrue([for node in values(local.podman_nodes) : !startswith(node.os, "windows")])
    message = fold(<<-EOT
      A container shares the kernel of its hypervisor, so it cannot run Windows:
      ${join(", ", [for node in values(local.podman_nodes) : node.name if startswith(node.os, "windows")])}. Give the
      pool the driver "libvirt", or name machines that run Windows by hosts.
      EOT
    )
  }
}

block "podman" {
  stage = "prepare"
  when  = local.build
  hosts = local.podman_hypervisors

  task "package" "podman" {
    when       = length(coalesce(var.podman_packages, local.host_system.podman)) > 0
    names      = coalesce(var.podman_packages, local.host_system.podman)
    timeout    = "20m"
    depends_on = [task.package.hypervisor]
  }

  # Which OCI runtime can run systemd here, asked of the host: it depends on its cgroups.
  task "command" "podman_runtime" {
    argv       = ["sh", "-c", file("files/runtime.sh")]
    read_only  = true
    depends_on = [task.package.podman]
  }

  task "copy" "podman_modules" {
    when       = length(local.kernel_modules) > 0
    dest       = "/etc/modules-load.d/kinit-${cluster.name}.conf"
    content    = join("", [for name in keys(local.kernel_modules) : "${name}\n"])
    depends_on = [task.package.podman]
  }

  task "command" "podman_modules" {
    for_each = local.podman_modules
    host     = each.value.host
    argv     = ["modprobe", each.value.name]
    creates  = each.value.shows
  }

  # What the kernel counts for all containers together. A kubelet watches some hundred files.
  task "sysctl" "podman" {
    for_each = {
      for pair in setproduct(local.podman_hypervisors, [
        ["fs.inotify.max_user_instances", "8192"], ["fs.inotify.max_user_watches", "1048576"],
      ]) :
      "${pair[0]}/${pair[1][0]}" => { host = pair[0], name = pair[1][0], value = pair[1][1] }
    }
    host  = each.value.host
    name  = each.value.name
    value = each.value.value
    least = true
  }
}

# Room for the image and for what nodes write.
task "command" "podman_room" {
  stage = "validate"
  when  = local.build
  hosts = local.podman_hypervisors
  argv = [
    "sh", "-c", file("../../common/files/room.sh"), "room", "/var/lib/containers", tostring(var.least_room_gib),
  ]
  read_only = true
}

# A hypervisor whose last node has left or moved starts none at boot.
task "service" "podman_left" {
  stage      = "cleanup"
  when       = !local.remove_all
  hosts      = [for h in local.podman_empty : h if length(local.leaving_on[h]) == 0]
  name       = "kinit-${cluster.name}-nodes.service"
  state      = "absent"
  depends_on = [task.podman_sweep.owned]
}

# Network namespaces of nodes that are gone from the spec, or have moved; all of them go with the
# cluster.
task "sweep" "podman" {
  stage      = "cleanup"
  when       = !local.remove_all
  hosts      = local.hypervisors
  kinds      = ["netns"]
  keep       = [for name in concat(local.podman_on[host.name], local.leaving_on[host.name]) : "kinit-${name}"]
  depends_on = [task.podman_sweep.owned, task.ovs_sweep.owned]
}
