# What a user or an inventory may set. Values that differ between a real
# deployment and the lab live in the inventory, never in a task.

import {
  source = "hypervisors"
}

variable "network_cidr" {
  type        = string
  default     = "10.0.0.0/24"
  description = "The cluster's network on the overlay. It cannot change on a running cluster."
}

variable "controller_vcpus" {
  type        = number
  default     = 2
  description = "Virtual CPUs of each controller."
}

variable "controller_memory" {
  type        = string
  default     = "4GiB"
  description = "Memory of each controller."
}

variable "controller_disk" {
  type        = string
  default     = "25GiB"
  description = "Disk of each controller."
}

variable "compute_vcpus" {
  type        = number
  default     = 2
  description = "Virtual CPUs of each compute node."
}

variable "compute_memory" {
  type        = string
  default     = "8GiB"
  description = "Memory of each compute node."
}

variable "compute_disk" {
  type        = string
  default     = "30GiB"
  description = "Disk of each compute node."
}

variable "compute_os" {
  type    = string
  default = "debian-12"
  description = fold(<<-EOT
    Operating system of the compute nodes that the driver makes; that of machines is what the inventory says.
    EOT
  )
}

variable "controller_hosts" {
  type    = list(string)
  default = null
  description = fold(<<-EOT
    Machines that exist already, to be the controllers: their names in the inventory. Without it the driver makes
    them.
    EOT
  )
}

variable "compute_hosts" {
  type    = list(string)
  default = null
  description = fold(<<-EOT
    Machines that exist already, to be the compute nodes: their names in the inventory. Without it the driver makes
    them.
    EOT
  )
}

variable "controller_overlay" {
  type    = bool
  default = null
  description = fold(<<-EOT
    Machines that are controllers are on the cluster's overlay, which carries what they say to other nodes. Without it
    they keep to their own network.
    EOT
  )
}

variable "compute_overlay" {
  type    = bool
  default = null
  description = fold(<<-EOT
    Machines that are compute nodes are on the cluster's overlay, which carries what they say to other nodes. Without
    it they keep to their own network.
    EOT
  )
}

variable "encapsulation_address" {
  type    = map(string)
  default = {}
  description = fold(<<-EOT
    The address that carries Geneve, by hypervisor or machine on the overlay; the one kinit reaches it by where it is
    not named here.
    EOT
  )
}

variable "dns_public" {
  type        = list(string)
  default     = ["1.1.1.1", "9.9.9.9"]
  description = "Name servers for names outside the cluster; restricted networks set their own."
}

variable "image_mirrors" {
  type    = map(string)
  default = {}
  description = fold(<<-EOT
    Where hypervisors get images of a registry from instead, by the registry's name. A mirror that begins with http://
    is asked without TLS.
    EOT
  )

  validation {
    condition = alltrue([
      for mirror in values(var.image_mirrors) :
      can(regex("^(https?://)?[a-z0-9.-]+(:[0-9]+)?(/[a-zA-Z0-9._/-]+)?$", mirror))
    ])
    error_message = format("A mirror is a registry and a path, such as mirror.example:5000/docker.io: %s.", join(", ", [
      for mirror in values(var.image_mirrors) :
      mirror if !can(regex("^(https?://)?[a-z0-9.-]+(:[0-9]+)?(/[a-zA-Z0-9._/-]+)?$", mirror))
    ]))
  }
}

variable "debian_mirror" {
  type    = string
  default = ""
  description = fold(<<-EOT
    The site that nodes with Debian install packages from in place of deb.debian.org, in its layout: URL/debian and
    URL/debian-security.
    EOT
  )

  validation {
    condition     = var.debian_mirror == "" || can(regex("^https?://[^\\s',]+$", var.debian_mirror))
    error_message = "The mirror of Debian begins with http:// or https://, and has no blanks, quotes or commas in it."
  }
}

variable "boot_timeout" {
  type    = string
  default = "5m"
  description = fold(<<-EOT
    How long a guest may take from power-on to its first answer, on a hypervisor of ordinary speed; an emulated one
    has four times as long.
    EOT
  )
}

variable "boot_silence" {
  type    = string
  default = "2m"
  description = fold(<<-EOT
    How long a guest that does not answer may write nothing to its console; then it is reset, once. An emulated one
    has twice as long.
    EOT
  )
}

variable "service_images" {
  type    = map(object({ name = string, archive = optional(string, "") }))
  default = {}
  description = fold(<<-EOT
    Container images of the services pod in place of the pinned ones: haproxy, dns, registry, web. With an archive (a
    path on the hypervisor) nothing is pulled.
    EOT
  )
}

variable "service_commands" {
  type        = map(list(string))
  description = "How each service is started in its image."
  default = {
    haproxy = [
      "haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg", "-f", "/usr/local/etc/haproxy/users.cfg",
    ]
    dns      = ["named", "-g", "-u", "bind", "-c", "/etc/bind/named.conf"]
    registry = ["registry", "serve", "/etc/docker/registry/config.yml"]
    web      = ["nginx", "-c", "/etc/kinit-web/nginx.conf", "-g", "daemon off;"]
  }
}

variable "service_health" {
  type    = map(list(string))
  default = {}
  description = fold(<<-EOT
    How it is found out in a service's container whether it is healthy, in place of the standard: haproxy, dns,
    registry or web, and the words of a command of its image. An empty list is no check.
    EOT
  )

  validation {
    condition = length(setsubtract(keys(var.service_health), ["haproxy", "dns", "registry", "web"])) == 0
    error_message = fold(<<-EOT
      The services are haproxy, dns, registry and web, not
      ${join(", ", setsubtract(keys(var.service_health), ["haproxy", "dns", "registry", "web"]))}.
      EOT
    )
  }
}

variable "published_ports" {
  type    = map(number)
  default = { "6443" = 6443, "80" = 80, "443" = 443 }
  description = fold(<<-EOT
    Ports of the services' hypervisor that lead into the pod. Clusters on the same hypervisors need different ones.
    EOT
  )
}

variable "registry_port" {
  type        = number
  default     = 5000
  description = "The port of the services' hypervisor that leads to the registry, where no node is on an overlay."
}

variable "files_port" {
  type    = number
  default = 8080
  description = fold(<<-EOT
    The port of the services' hypervisor that leads to the file server, where no node is on an overlay and some run
    Windows.
    EOT
  )
}

variable "ingress_node_ports" {
  type        = map(number)
  default     = { "80" = 30080, "443" = 30443 }
  description = "The ports of the compute nodes that the load balancer's ports 80 and 443 lead to."
}
