# Kubernetes on nodes that are containers: one controller, one compute node, on at least one hypervisor.
spec "k8s-podman-1-1-1" {
  playbook = "k8s"
}

cluster "k8s" {
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
    os      = "linux"
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
