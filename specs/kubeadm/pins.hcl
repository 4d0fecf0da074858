# pins: what of the pins a cluster that kubeadm makes uses.

locals {
  # Where the programs are. Only those of the pinned version have digests.
  kubernetes_pinned = var.kubernetes_version == null && !local.release_elsewhere

  kubernetes_programs = { for name, pin in local.release_programs : name =>
    local.kubernetes_pinned ? local.downloads[pin] : {
      url    = "${local.release_folder}/bin/linux/amd64/${name}"
      sha256 = local.kubernetes_default ? local.downloads[pin].sha256 : ""
      sha512 = local.kubernetes_default ? local.downloads[pin].sha512 : ""
      sha256_url = (
        local.kubernetes_default && local.pins[pin].digest != ""
        ? ""
        : "${local.release_folder}/bin/linux/amd64/${name}.sha256"
      )
      sha512_url = ""
    }
  }
  # kubectl for people. Nodes that have the programs already do not fetch it.
  kubectl_program = local.kubernetes_programs.kubectl
  kubectl_fetched = !var.kubernetes_preinstalled
  kubectl_advice = fold(<<-EOT
    The variable ${local.release_url} names another site with the same layout, and kubectl a file that is there.
    EOT
  )
  # Programs without a digest, and without a site that publishes one.
  kubernetes_unverified = [
    for name, program in local.kubernetes_programs :
    name if "${program.sha256}${program.sha512}${program.sha256_url}" == ""
  ]

  windows_pin     = local.release_windows.pin
  windows_default = local.kubernetes_base == local.pins[local.windows_pin].version
  kubernetes_windows = local.kubernetes_pinned ? local.downloads[local.windows_pin] : {
    url        = "${local.release_windows.folder}/kubernetes-node-windows-amd64.tar.gz"
    sha256     = local.windows_default ? local.downloads[local.windows_pin].sha256 : ""
    sha512     = local.windows_default ? local.downloads[local.windows_pin].sha512 : ""
    sha256_url = ""
    sha512_url = (
      local.windows_default && local.pins[local.windows_pin].digest != ""
      ? ""
      : "${local.release_windows.folder}/kubernetes-node-windows-amd64.tar.gz.sha512"
    )
  }

  # Images: nodes know them by their names, and the registry gets them by their digests. Those
  # of Kubernetes in another version than the pinned one are what its kubeadm lists.
  images_listed = local.release_lists && var.container_images == null && !local.kubernetes_default
  container_pins = concat(
    local.kubernetes_default ? local.release_images : [],
    startswith(local.pod_network, "flannel-") ? ["flannel", "flannel_cni_plugin"] : [],
    local.calico_pins,
    ["busybox"],
    local.has_windows && local.windows_pause_named == null ? ["windows_pause"] : [],
  )
  registry_images = merge(
    { for name in local.container_pins : local.tagged[name] => "docker://${local.pinned[name]}" },
    {
      for alias, name in local.kubernetes_default ? local.release_aliases : {} :
      alias => "docker://${local.pinned[name]}"
    },
    {
      for name in local.windows_images : name => "docker://${name}"
      if name == local.windows_pause_named && !contains([for pin in local.container_pins : local.tagged[pin]], name)
    },
  )
  flannel_images = var.flannel_images != null ? var.flannel_images : {
    flannel = local.tagged.flannel
    plugin  = local.tagged.flannel_cni_plugin
  }
  release_sandbox = local.tagged[local.release_pause]
  # Empty where kubeadm lists it.
  listed_sandbox = local.images_listed ? "" : local.release_sandbox
  pause_image    = var.pause_image != null ? var.pause_image : local.listed_sandbox

  # These do not apply to another chosen version or image.
  distribution_pins = concat(
    [for name in local.addon_pins : name if !contains(keys(coalesce(var.container_images, {})), local.tagged[name])],
    var.container_images == null ? local.container_pins : [],
    var.kubernetes_preinstalled || !local.kubernetes_default || length(local.linux_nodes) == 0
    ? []
    : values(local.release_programs),
    local.runtime_upstream && length(local.linux_nodes) > 0 ? values(local.runtime_pins) : [],
    local.calico && var.calico_operator == null ? ["calico_operator"] : [],
    keys(local.calico_manifests),
    !local.has_windows ? [] : [
      for name, pin in local.payload_pins :
      pin if !contains(keys(var.windows_payloads), name) && (name != "kubernetes" || local.windows_default)
    ],
  )
}
