# libvirt: a node is a guest with a kernel of its own.

driver "libvirt" {
  summary = "nodes are guests of libvirt on the hypervisors"
  default = true
}

variable "virt_type" {
  type        = string
  default     = "kvm"
  description = "Domain type: kvm, or qemu for software emulation."
  validation {
    condition     = contains(["kvm", "qemu"], var.virt_type)
    error_message = "The domain type is \"kvm\" or \"qemu\"."
  }
}

variable "disk_cache" {
  type        = string
  default     = ""
  description = "How guests' writes reach the disk: empty for QEMU's default, none, writeback, or unsafe for clusters that are thrown away."
}

variable "libvirt_packages" {
  type        = list(string)
  default     = ["libvirt-daemon-system", "libvirt-clients", "qemu-system-x86", "qemu-utils"]
  description = "Debian packages of hypervisors with guests."
}

variable "guest_image" {
  type = object({
    url        = string
    sha256     = optional(string, "")
    sha512     = optional(string, "")
    sha256_url = optional(string, "")
    sha512_url = optional(string, "")
  })
  default     = null
  description = "The base image of Linux guests, and its checksum or where that is published; the pinned one where it is not said."
}

variable "guest_packages" {
  type        = list(string)
  default     = []
  description = "Further Debian packages that guests install when they first start."
}

locals {
  libvirt_nodes       = { for name, node in cluster.nodes : name => node if node.driver == "libvirt" }
  libvirt_linux       = { for name, node in local.libvirt_nodes : name => node if !startswith(node.os, "windows") }
  libvirt_windows     = { for name, node in local.libvirt_nodes : name => node if startswith(node.os, "windows") }
  libvirt_hypervisors = distinct([for node in values(local.libvirt_nodes) : node.hypervisor])
  linux_hypervisors   = distinct([for node in values(local.libvirt_linux) : node.hypervisor])

  image_dir = "/var/lib/libvirt/images"

  guest_image = var.guest_image != null ? var.guest_image : local.downloads.debian_guest
  libvirt_pins = concat(
    length(local.libvirt_linux) > 0 && var.guest_image == null ? ["debian_guest"] : [],
    length(local.libvirt_windows) > 0 && !local.windows_sealed && var.windows_drivers == null ? ["virtio_win"] : [],
    length(local.libvirt_windows) > 0 && !local.windows_sealed && var.windows_openssh == null ? ["windows_openssh"] : [],
  )
}

task "package" "libvirt" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.libvirt_hypervisors
  names      = var.libvirt_packages
  timeout    = "20m"
  depends_on = [task.package.hypervisor]
}

task "service" "libvirt" {
  stage      = "prepare"
  when       = local.build
  hosts      = local.libvirt_hypervisors
  name       = "libvirtd.service"
  enabled    = true
  state      = "started"
  depends_on = [task.package.libvirt]
}

# A guest of the wanted type really starts: a trial, since a device proves nothing.
task "command" "virtualisation" {
  stage     = "validate"
  when      = local.build
  hosts     = local.libvirt_hypervisors
  argv      = ["sh", "-c", file("files/accelerated.sh"), "accelerated", var.virt_type]
  read_only = true
}

# Room for the images and disks, which grow as they are written.
task "command" "libvirt_room" {
  stage     = "validate"
  when      = local.build
  hosts     = local.libvirt_hypervisors
  argv      = ["sh", "-c", file("../../common/files/room.sh"), "room", local.image_dir, tostring(var.least_room_gib)]
  read_only = true
}

# What the cluster owns of libvirt and the spec no longer declares, on every hypervisor:
# the nodes may have had another driver before.
task "libvirt_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  keep  = concat(keys(local.libvirt_nodes), local.windows_builds)
  keep_volumes = concat(local.windows_build_volumes, flatten([for name in keys(local.libvirt_nodes) : [
    "${local.image_dir}/${name}.qcow2", "${local.image_dir}/${name}-seed.iso",
  ]]))
}
