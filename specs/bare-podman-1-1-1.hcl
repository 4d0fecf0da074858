# Nodes that are containers, overlay and services, without anything on top.
spec "bare-podman-1-1-1" {
  playbook = "bare"
}

cluster "bare" {
  driver      = "podman"
  hypervisors = 1

  network {
    cidr = var.network_cidr
  }

  pod "services" {}

  pool "controller" {
    count   = var.controller_hosts == null ? 1 : null
    hosts   = var.controller_hosts
    overlay = var.controller_overlay
    vcpus   = var.controller_vcpus
    memory  = var.controller_memory
    disk    = var.controller_disk
  }

  pool "compute" {
    count   = var.compute_hosts == null ? 1 : null
    hosts   = var.compute_hosts
    overlay = var.compute_overlay
    vcpus   = var.compute_vcpus
    memory  = var.compute_memory
    disk    = var.compute_disk
    os      = var.compute_hosts == null ? var.compute_os : null
  }
}
