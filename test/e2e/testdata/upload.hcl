# One node that is to run Windows, and what is brought to it.
spec "upload" {
  playbook = "./upload"
}

cluster "upload" {
  network {
    cidr = var.network_cidr
  }

  pool "controller" {
    count = 0
  }

  pool "windows" {
    count  = 1
    memory = "2GiB"
    os     = "windows-2022"
  }
}
