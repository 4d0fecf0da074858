# pins: what of the pins a cluster of Kubernetes uses.

locals {
  # The version, and where its programs are. Only that of the pins has digests.
  kubernetes_version = coalesce(var.kubernetes_version, local.pins.kubeadm.version)
  kubernetes_pinned  = var.kubernetes_version == null && var.kubernetes_url == null
  kubernetes_url     = coalesce(var.kubernetes_url, trimsuffix(local.pins.kubeadm.url, "/${local.pins.kubeadm.version}/bin/linux/amd64/kubeadm"))
  kubernetes_folder  = "${local.kubernetes_url}/${local.kubernetes_version}"

  kubernetes_programs = { for name in ["kubeadm", "kubelet", "kubectl"] : name =>
    local.kubernetes_pinned ? local.downloads[name] : {
      url        = "${local.kubernetes_folder}/bin/linux/amd64/${name}"
      sha256     = local.kubernetes_version == local.pins[name].version ? local.downloads[name].sha256 : ""
      sha512     = ""
      sha256_url = local.kubernetes_version == local.pins[name].version && local.pins[name].digest != "" ? "" : "${local.kubernetes_folder}/bin/linux/amd64/${name}.sha256"
      sha512_url = ""
    }
  }
  kubernetes_windows = local.kubernetes_pinned ? local.downloads.windows_kubernetes : {
    url        = "${local.kubernetes_folder}/kubernetes-node-windows-amd64.tar.gz"
    sha256     = local.kubernetes_version == local.pins.windows_kubernetes.version ? local.downloads.windows_kubernetes.sha256 : ""
    sha512     = ""
    sha256_url = ""
    sha512_url = local.kubernetes_version == local.pins.windows_kubernetes.version && local.pins.windows_kubernetes.digest != "" ? "" : "${local.kubernetes_folder}/kubernetes-node-windows-amd64.tar.gz.sha512"
  }

  # Images: nodes know them by their names, and the registry gets them by their digests.
  container_pins   = ["kube_apiserver", "kube_controller_manager", "kube_scheduler", "kube_proxy", "coredns", "pause", "etcd", "flannel", "flannel_cni_plugin", "busybox"]
  container_images = var.container_images != null ? var.container_images : tomap({ for name in local.container_pins : local.tagged[name] => "docker://${local.pinned[name]}" })
  flannel_images   = var.flannel_images != null ? var.flannel_images : { flannel = local.tagged.flannel, plugin = local.tagged.flannel_cni_plugin }
  sample_image     = coalesce(var.sample_image, local.tagged.busybox)
  pause_image      = coalesce(var.pause_image, local.tagged.pause)

  # Whoever chose another version or another image is not held to these.
  distribution_pins = concat(
    var.container_images == null ? local.container_pins : [],
    var.kubernetes_preinstalled || local.kubernetes_version != local.pins.kubeadm.version || length(local.linux_nodes) == 0 ? [] : keys(local.kubernetes_programs),
    local.calico && var.calico_operator == null ? ["calico_operator"] : [],
    [for name, pin in local.payload_pins : pin if local.has_windows && !contains(keys(var.windows_payloads), name) && (name != "kubernetes" || local.kubernetes_version == local.pins[pin].version)],
  )
}
