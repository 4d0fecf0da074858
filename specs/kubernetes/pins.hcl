# pins: the version of a cluster, and the images in its registry.

locals {
  kubernetes_version = coalesce(var.kubernetes_version, local.release_version)
  # Only what belongs to the pinned version has digests.
  kubernetes_default = local.kubernetes_version == local.release_version
  # The version of Kubernetes itself, which a distribution adds its own to.
  kubernetes_base = try(regex("^v1\\.[0-9]+\\.[0-9]+", local.kubernetes_version), local.kubernetes_version)

  container_images = merge(
    local.addon_images,
    var.container_images != null ? var.container_images : tomap(local.registry_images),
  )
  sample_image = coalesce(var.sample_image, local.tagged.busybox)
}
