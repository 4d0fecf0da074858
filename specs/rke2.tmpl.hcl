# rke2, expanded from the name of the spec.
spec "${name}" {
  playbook = "rke2"
}

cluster "rke2" {
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
    os      = "linux"
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
