# libvirt: a node is a guest with a kernel of its own.
#
# Offers:
#   local.libvirt_nodes       nodes that are guests
#   local.libvirt_pins        names of the pins that guests need
#   var.windows_boot_timeout  how long a Windows guest may take to start
#   task.libvirt_sweep.left   removes guests that left
#   task.libvirt_sweep.owned  removes guests at clean-up
#
# Needs:
#   local.build              whether the run goes on after clean-up
#   local.cluster_folder     the folder of the cluster on a hypervisor
#   local.downloads          files, in the words of the module download
#   local.emulated           whether guests have emulated processors
#   local.first_hypervisor   the hypervisor for what exists once
#   local.first_system       the system that "linux" means
#   local.host_system        packages and services of the system of a host
#   local.hypervisors        names of all hypervisors
#   local.leaves             whether a node leaves
#   local.leaving_on         names of nodes that leave, by hypervisor
#   local.node_packages      packages that nodes need
#   local.offload            whether network cards compute checksums
#   local.overlay_mtu        the MTU inside the overlay
#   local.remove_all         whether clean-up removes the whole cluster
#   local.system             the system of each node
#   local.systems            the known systems, with images and packages
#   var.boot_silence         how long a guest may write nothing to its console
#   var.boot_timeout         how long a node may take to start
#   var.debian_mirror        where nodes with Debian get packages from
#   var.least_room_gib       how much room there must be for images and disks
#   var.libvirt_packages     packages of hypervisors with guests
#   var.virt_type            whether guests run under KVM or are emulated
#   task.directory.root      the folder of the cluster
#   task.ovn_port.port       the nodes' ports on the overlay
#   task.ovn_sync.overlay    waits until chassis have the logical networks
#   task.package.hypervisor  packages of all hypervisors
#   task.ssh_key.cluster     the key by which kinit logs in to nodes
#   task.ssh_key.node        the nodes' own host keys
#   task.x509_ca.cluster     the authority of the services

driver "libvirt" {
  summary = "nodes are guests of libvirt on the hypervisors"
  default = true
  nodes   = file("files/there.sh")
}

variable "disk_cache" {
  type    = string
  default = ""
  description = fold(<<-EOT
    How guests' writes reach the disk: empty for QEMU's default, none, writeback, or unsafe for clusters that are
    thrown away.
    EOT
  )
}

variable "guest_image" {
  type = object({
    url        = string
    sha256     = optional(string, "")
    sha512     = optional(string, "")
    sha256_url = optional(string, "")
    sha512_url = optional(string, "")
  })
  default = null
  description = fold(<<-EOT
    The base image of all Linux guests in place of the pinned one of each system, and its checksum or where that is
    published.
    EOT
  )
}

variable "guest_packages" {
  type        = list(string)
  default     = []
  description = "Further Debian packages that guests install when they first start."
}

variable "guest_user" {
  type    = string
  default = "root"
  description = fold(<<-EOT
    Who kinit logs in as on guests with Linux: root, or a user that is made there and may become root by sudo. The
    image has no user or group of that name.
    EOT
  )

  validation {
    condition = can(regex("^[a-z_][a-z0-9_-]{0,31}$", var.guest_user))
    error_message = fold(<<-EOT
      The name of a user of guests has lower case letters, digits, - and _, and begins with a letter or _.
      EOT
    )
  }
}

locals {
  libvirt_nodes       = { for name, node in cluster.nodes : name => node if node.driver == "libvirt" }
  libvirt_linux       = { for name, node in local.libvirt_nodes : name => node if !startswith(node.os, "windows") }
  libvirt_windows     = { for name, node in local.libvirt_nodes : name => node if startswith(node.os, "windows") }
  libvirt_hypervisors = distinct([for node in values(local.libvirt_nodes) : node.hypervisor])

  image_dir = "/var/lib/libvirt/images"
  virsh     = ["virsh", "--connect", "qemu:///system"] # the system's libvirt, for users other than root too

  # The pin of each guest's image; all have the one that is given.
  guest_pins = {
    for name in keys(local.libvirt_linux) :
    name => var.guest_image != null
    ? "given"
    : lookup(local.systems, local.system[name], local.systems[local.first_system]).guest
  }
  guest_images = {
    for pin in distinct(values(local.guest_pins)) :
    pin => var.guest_image != null ? var.guest_image : local.downloads[pin]
  }
  libvirt_pins = concat(
    var.guest_image == null ? keys(local.guest_images) : [],
    length(local.libvirt_windows) == 0 || local.windows_sealed ? [] : [
      for name, pin in local.windows_pinned :
      pin if !can(local.windows_given[name])
    ],
  )
}

# Further disks, cards and devices of the hypervisor, from the vars of a guest's pool or of the
# guest: vars = { disks = ["20GiB"], nics = [{ bridge = "br0" }], pci_devices = ["0000:03:00.0"] }.
locals {
  guest_disks = { for name, node in cluster.nodes : name => try([for size in node.vars.disks : tostring(size)], []) }
  guest_nics = { for name, node in cluster.nodes : name => try([for i, nic in node.vars.nics : {
    bridge    = tostring(nic.bridge)
    dhcp      = try(tobool(nic.dhcp), false)
    addresses = try([for address in nic.addresses : tostring(address)], [])
    mtu       = try(tonumber(nic.mtu), 0)
    mac       = "52:54:00:${join(":", regexall("..", substr(sha256("${node.uuid} ${i}"), 0, 6)))}"
  }], []) }
  # All cards of a guest: the first one is its port of the overlay.
  guest_cards = { for name, node in local.libvirt_nodes : name => concat(
    [{ bridge = "br-int", mac = node.mac, port_id = node.port_id, mtu = local.overlay_mtu, offload = local.offload }],
    [
      for nic in local.guest_nics[name] :
      { bridge = nic.bridge, mac = nic.mac, port_id = null, mtu = nic.mtu, offload = null }
    ],
  ) }
  guest_devices = {
    for name, node in cluster.nodes :
    name => try([for address in node.vars.pci_devices : tostring(address)], [])
  }
  # The names of the volumes that are a guest's further disks.
  guest_data = {
    for name, sizes in local.guest_disks :
    name => [for i in range(length(sizes)) : "${name}-data-${i + 1}"]
  }
  guest_volumes = merge([for name, node in local.libvirt_nodes : {
    for i, volume in local.guest_data[name] : volume => { host = node.hypervisor, size = local.guest_disks[name][i] }
  }]...)

  # Guests alone can have them, and what is not understood is not passed over.
  no_hardware = [for name, node in cluster.nodes : name if
    can(node.vars.disks) && length(local.guest_disks[name]) != try(length(node.vars.disks), -1) ||
    can(node.vars.nics) && length(local.guest_nics[name]) != try(length(node.vars.nics), -1) ||
    can(node.vars.pci_devices) && length(local.guest_devices[name]) != try(length(node.vars.pci_devices), -1)
  ]
  no_guests = [for name, node in cluster.nodes : name if node.driver != "libvirt" &&
  (can(node.vars.disks) || can(node.vars.nics) || can(node.vars.pci_devices))]
}

task "assert" "hardware" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.no_guests) == 0
    message = fold(<<-EOT
      Only guests of libvirt have disks, nics and pci_devices in their vars: ${join(", ", local.no_guests)} are none.
      EOT
    )
  }

  condition {
    holds = length(local.no_hardware) == 0
    message = fold(<<-EOT
      vars of a guest are disks = ["20GiB"], nics = [{ bridge = "br0" }] and pci_devices = ["0000:03:00.0"]; those of
      ${join(", ", local.no_hardware)} are not.
      EOT
    )
  }
}

block "libvirt" {
  stage = "prepare"
  when  = local.build
  hosts = local.libvirt_hypervisors

  task "package" "libvirt" {
    names      = coalesce(var.libvirt_packages, local.host_system.libvirt)
    timeout    = "20m"
    depends_on = [task.package.hypervisor]
  }

  task "service" "libvirt" {
    name       = local.host_system.services.libvirt
    enabled    = true
    state      = "started"
    depends_on = [task.package.libvirt]
  }
}

block "libvirt_validate" {
  stage = "validate"
  when  = local.build
  hosts = local.libvirt_hypervisors

  # A guest of the wanted type really starts: a trial, since a device proves nothing.
  task "command" "virtualisation" {
    argv      = ["sh", "-c", file("files/accelerated.sh"), "accelerated", var.virt_type]
    read_only = true
  }

  # Room for the images and disks, which grow as they are written.
  task "command" "libvirt_room" {
    argv      = ["sh", "-c", file("../../common/files/room.sh"), "room", local.image_dir, tostring(var.least_room_gib)]
    read_only = true
  }
}

# What the cluster owns of libvirt and the spec no longer declares there, on every hypervisor:
# the nodes may have had another driver or another hypervisor before.
task "libvirt_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  keep = [
    for name in concat(local.kept_domains[host.name], local.leaving_on[host.name]) :
    name if !contains(cluster.restore.recreate, name)
  ]
  keep_volumes = [
    for path in concat(local.kept_volumes[host.name], local.leaving_volumes[host.name]) :
    path
    if !contains(cluster.restore.recreate, replace(basename(path), local.volume_ending, ""))
  ]
}
