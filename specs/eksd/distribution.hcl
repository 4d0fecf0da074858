# eksd: EKS Distro, the Kubernetes of Amazon's service as Amazon releases it for everybody. A
# version is that of Kubernetes, its minor version again, and the number of the release.

import {
  source = "kubeadm"
}

variable "eksd_url" {
  type        = string
  default     = null
  description = "Where the binaries of EKS Distro are, in the layout of its release site, which is the default."
}

record {
  fixed = { distribution = "eksd" }
}

locals {
  release_version = local.pins.eksd_kubeadm.version
  release_pattern = "^v1\\.([0-9]+)\\.[0-9]+-eks-1-[0-9]+-[0-9]+$"
  # Its programs have the version of Kubernetes, and some name the commit that they were built of.
  release_reports = "${local.kubernetes_base}(-eks-\\S+)?"
  release_tested  = [34]

  # A version that has another form is refused.
  release_number = try(regex("-eks-(1-[0-9]+)-([0-9]+)$", local.kubernetes_version), ["", ""])
  release_site   = coalesce(var.eksd_url, regex("^https://[^/]+", local.pins.eksd_kubeadm.url))
  release_folder = join("/", [
    local.release_site, "kubernetes-${local.release_number[0]}", "releases", local.release_number[1],
    "artifacts", "kubernetes", local.kubernetes_base,
  ])
  release_url       = "eksd_url"
  release_elsewhere = var.eksd_url != null
  release_programs  = { kubeadm = "eksd_kubeadm", kubelet = "eksd_kubelet", kubectl = "eksd_kubectl" }
  release_windows = {
    pin    = "windows_kubernetes"
    folder = trimsuffix(local.pins.windows_kubernetes.url, "/kubernetes-node-windows-amd64.tar.gz")
  }
  release_images = [
    "eksd_kube_apiserver", "eksd_kube_controller_manager", "eksd_kube_scheduler", "eksd_kube_proxy", "eksd_coredns",
    "eksd_pause", "eksd_etcd",
  ]
  release_pause = "eksd_pause"
  # Its kubeadm asks for the pause image by the version that Kubernetes gives it.
  release_aliases = {
    "${replace(local.pins.eksd_pause.image, "/\\/[^/]*$/", "")}/pause:${local.pins.pause.version}" = "eksd_pause"
  }
  release_lists = false # kubeadm knows neither the names of DNS and etcd, nor their tags

  # Names of images without what is after the last slash.
  release_configuration = {
    imageRepository = replace(local.pins.eksd_kube_apiserver.image, "/\\/[^/]*$/", "")
    dns = {
      imageRepository = replace(local.pins.eksd_coredns.image, "/\\/[^/]*$/", "")
      imageTag        = local.pins.eksd_coredns.version
    }
  }
  release_etcd = {
    imageRepository = replace(local.pins.eksd_etcd.image, "/\\/[^/]*$/", "")
    imageTag        = local.pins.eksd_etcd.version
  }
}
