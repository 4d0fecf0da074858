# Three pools and a controller: what differs from pool to pool is in its block. strix is a machine
# that exists already; its system is what runs on it.
spec "k8s-pools" {
  playbook = "k8s"
}

cluster "pools" {
  driver      = "libvirt"
  hypervisors = 2

  network { cidr = "10.20.0.0/24" }

  pool "controller" {
    count  = 1
    memory = "4GiB"
  }

  pool "database" {
    count  = 2
    os     = "ubuntu-24.04"
    vcpus  = 4
    memory = "16GiB"
    disk   = "200GB"
    vars   = { labels = { tier = "database" }, taints = ["database=only:NoSchedule"] }
  }

  pool "web" {
    driver = "podman"
    count  = 4
    memory = "1.5GiB"
    vars   = { labels = { tier = "web" }, kubelet = { maxPods = 50 } }
  }

  pool "gpu" {
    hosts   = ["strix"]
    overlay = true
    vars    = { labels = { tier = "gpu" }, taints = ["gpu=yes:PreferNoSchedule"] }
  }
}
