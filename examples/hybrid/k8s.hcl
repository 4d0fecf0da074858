# One controller, one Linux and one Windows compute node. Run after k8s-libvirt-1-1-1 with
# --set cluster.name=k8s, this spec adds the Windows node to that cluster. Windows' ISO is
# named as for any Windows pool:
#
#   kinit run examples/hybrid/k8s.hcl --hosts nyctea,tyto \
#     --var windows_activation=online --var 'windows_iso={url="https://…/SERVER_EVAL_x64FRE_en-us.iso", sha256="…"}'
spec "k8s-hybrid" {
  playbook = "k8s"
}

cluster "k8s" {
  hypervisors = 1

  network {
    cidr = var.network_cidr
  }

  pool "controller" {
    count  = 1
    vcpus  = var.controller_vcpus
    memory = var.controller_memory
    disk   = var.controller_disk
  }

  pool "compute" {
    count  = 1
    vcpus  = var.compute_vcpus
    memory = var.compute_memory
    disk   = var.compute_disk
  }

  pool "windows" {
    count  = 1
    vcpus  = var.compute_vcpus
    memory = "4GiB" # the least that Windows Server takes
    disk   = var.compute_disk
    os     = "windows-2022"
  }
}
