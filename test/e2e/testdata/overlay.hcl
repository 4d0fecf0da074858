# A controller that is a container, a machine on the overlay and one beside it.
spec "overlay" {
  playbook = "k8s"
}

cluster "k8s" {
  driver = "podman"

  pool "controller" {
    count  = 1
    memory = var.controller_memory
  }

  pool "compute" {
    hosts   = ["m1"]
    overlay = true
  }

  pool "beside" {
    hosts = ["m2"]
  }
}
