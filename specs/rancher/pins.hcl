# pins: what of the pins a cluster of k3s or rke2 uses.

locals {
  # Where the files of a version are: SITE/VERSION/FILE, with their checksums in one file. Only
  # those of the pinned version have digests.
  rancher_names = { for name, pin in local.rancher_pins : name => basename(local.pins[pin].url) }
  rancher_from = trimsuffix(
    coalesce(
      local.rancher_site,
      trimsuffix(
        local.pins[local.rancher_pins.program].url,
        "/${local.release_version}/${local.rancher_names.program}",
      ),
    ),
    "/",
  )
  rancher_files = { for name, pin in local.rancher_pins : name => {
    url    = "${local.rancher_from}/${local.kubernetes_version}/${local.rancher_names[name]}"
    sha256 = local.kubernetes_default ? local.downloads[pin].sha256 : ""
    sha512 = local.kubernetes_default ? local.downloads[pin].sha512 : ""
    sha256_url = (
      local.kubernetes_default && local.pins[pin].digest != ""
      ? ""
      : "${local.rancher_from}/${local.kubernetes_version}/sha256sum-amd64.txt"
    )
  } }
  rancher_advice = fold(<<-EOT
    Nodes fetch ${local.rancher} and its images by themselves. The variable ${local.rancher_url} names another site
    with the same layout.
    EOT
  )

  # The archive has the images of the distribution; the registry gets the others.
  registry_images = { (local.tagged.busybox) = "docker://${local.pinned.busybox}" }
  windows_images  = []

  # kubectl for people is that of Kubernetes itself.
  kubectl_program = local.downloads.kubectl
  kubectl_fetched = true
  kubectl_advice  = "The variable kubectl names a file that is there, and another pin kubectl another site."

  # These do not apply to another chosen version or image.
  distribution_pins = concat(
    [for name in local.addon_pins : name if !contains(keys(coalesce(var.container_images, {})), local.tagged[name])],
    var.container_images == null ? ["busybox"] : [],
    local.kubernetes_default && length(local.linux_nodes) > 0 ? values(local.rancher_pins) : [],
    var.kubectl == "" && length(local.linux_nodes) > 0 ? ["kubectl"] : [],
  )
}
