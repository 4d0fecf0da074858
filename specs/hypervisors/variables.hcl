# hypervisors: what a user or an inventory may say of hypervisors. Clusters and the doctor have these
# variables, so that an inventory sets them for both.
#
# Offers:
#   var.address_packages     packages that move the services' address
#   var.central_packages     packages with OVN's databases
#   var.datapath             the datapath of Open vSwitch: system or netdev
#   var.hypervisor_packages  packages of all hypervisors
#   var.least_room_gib       how much room there must be for images and disks
#   var.libvirt_packages     packages of hypervisors with guests
#   var.overlay_packages     packages of hosts on the overlay
#   var.podman_packages      packages of hypervisors with nodes that are containers
#   var.virt_type            whether guests run under KVM or are emulated

variable "hypervisor_packages" {
  type        = list(string)
  default     = null
  description = "Packages of every hypervisor, in place of those that its system has in specs/common/hypervisors.json."
}

variable "overlay_packages" {
  type    = list(string)
  default = null
  description = fold(<<-EOT
    Further packages of hypervisors whose nodes are on an overlay, and of machines that are on it, in place of those
    that their systems have.
    EOT
  )
}

variable "central_packages" {
  type        = list(string)
  default     = null
  description = "Further packages of hypervisors with OVN's databases, in place of those that their systems have."
}

variable "address_packages" {
  type    = list(string)
  default = null
  description = fold(<<-EOT
    Further packages of hypervisors with services, where these are on several: keepalived, which moves their address.
    In place of those that its system has.
    EOT
  )
}

variable "datapath" {
  type        = string
  default     = "system"
  description = "Open vSwitch datapath: system (the kernel's) or netdev (userspace, where the kernel has none)."
  validation {
    condition     = contains(["system", "netdev"], var.datapath)
    error_message = "The datapath is \"system\" or \"netdev\"."
  }
}

variable "least_room_gib" {
  type        = number
  default     = 10
  description = "How much room in GiB a hypervisor needs for images and disks before anything is built."
}

variable "libvirt_packages" {
  type        = list(string)
  default     = null
  description = "Further packages of hypervisors with guests, in place of those that their systems have."
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

variable "podman_packages" {
  type    = list(string)
  default = null
  description = fold(<<-EOT
    Further packages of hypervisors with nodes that are containers, in place of those that their systems have.
    EOT
  )
}
