# k8s: vanilla Kubernetes, as its own project releases it.

import {
  source = "kubeadm"
}

variable "kubernetes_url" {
  type        = string
  default     = null
  description = "Where the binaries are, in the layout of the official release site, which is the default."
}

record {
  fixed = { distribution = "k8s" }
}

locals {
  release_version = local.pins.kubeadm.version
  release_pattern = "^v1\\.([0-9]+)\\.[0-9]+(-[a-z]+\\.[0-9]+)?$"
  release_reports = local.kubernetes_version
  release_tested  = [34]
  release_site = coalesce(
    var.kubernetes_url,
    trimsuffix(local.pins.kubeadm.url, "/${local.release_version}/bin/linux/amd64/kubeadm"),
  )
  release_folder    = "${local.release_site}/${local.kubernetes_version}"
  release_url       = "kubernetes_url"
  release_elsewhere = var.kubernetes_url != null
  release_programs  = { kubeadm = "kubeadm", kubelet = "kubelet", kubectl = "kubectl" }
  release_windows   = { pin = "windows_kubernetes", folder = local.release_folder }
  release_images = [
    "kube_apiserver", "kube_controller_manager", "kube_scheduler", "kube_proxy", "coredns", "pause", "etcd",
  ]
  release_pause         = "pause"
  release_aliases       = {}
  release_lists         = true
  release_configuration = {}
  release_etcd          = {}
}
