# A cluster of any distribution. kinit puts the words and numbers of the spec's name into this text: of
# k8s-podman-3-2-1, distribution is k8s, driver is podman, and it has 3 controllers, 2 compute nodes
# and at least 1 hypervisor. Specs that differ in their numbers alone are one cluster. Before distribution and
# driver were its name, the cluster had that of the distribution alone.
spec "${name}" {
  playbook = "${distribution}"
}

cluster "${distribution}-${driver}" {
  formerly    = "${distribution}"
  driver      = "${driver}"
  hypervisors = ${hypervisors}

  network {
    cidr = var.network_cidr
  }

  pod "services" {}

  pool "controller" {
    count   = var.controller_hosts == null ? ${controllers} : null
    hosts   = var.controller_hosts
    overlay = var.controller_overlay
    vcpus   = var.controller_vcpus
    memory  = var.controller_memory
    disk    = var.controller_disk
    os      = local.controller_os
  }

  pool "compute" {
    count   = var.compute_hosts == null ? ${computes} : null
    hosts   = var.compute_hosts
    overlay = var.compute_overlay
    vcpus   = var.compute_vcpus
    memory  = var.compute_memory
    disk    = var.compute_disk
    os      = var.compute_hosts == null ? var.compute_os : null
  }
}
