# validate: the versions that kubeadm makes clusters of as kinit asks it to.

locals {
  # From this minor version of Kubernetes 1 on, kubeadm reads the files that kinit writes (API
  # v1beta4).
  oldest_minor = 31
}

task "assert" "kubeadm" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = local.kubernetes_minor < 0 || local.kubernetes_minor >= local.oldest_minor
    message = fold(<<-EOT
      Kubernetes ${local.kubernetes_version} is too old: its kubeadm does not read the files that kinit writes, which
      v1.${local.oldest_minor} and later ones do. kinit is tested with ${local.tested_versions}.
      EOT
    )
  }

  condition {
    holds = local.kubernetes_minor < 0 || local.release_lists || local.kubernetes_default
    message = fold(<<-EOT
      The images of ${local.kubernetes_version} are not known, only those of ${local.release_version}. Give the pins
      of both its programs and its images another version: 'kinit pins' lists them, and a --var-file takes them.
      EOT
    )
  }

  condition {
    holds = !local.images_listed || var.allow_unpinned
    message = fold(<<-EOT
      The images of Kubernetes ${local.kubernetes_version} have no digests that they could be held to; those of
      ${local.release_version} have. Give container_images, or allow it by --var allow_unpinned=true.
      EOT
    )
  }
}
