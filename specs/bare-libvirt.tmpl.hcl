# Guests, overlay and services on libvirt, expanded from the name of the spec.
spec "${name}" {
  playbook = "bare"
}

cluster "bare" {
  hypervisors = ${hypervisors}

  network {
    cidr = var.network_cidr
  }

  pool "controller" {
    count  = ${controllers}
    vcpus  = var.controller_vcpus
    memory = var.controller_memory
    disk   = var.controller_disk
  }

  pool "compute" {
    count  = ${computes}
    vcpus  = var.compute_vcpus
    memory = var.compute_memory
    disk   = var.compute_disk
    os     = var.compute_os
  }
}
