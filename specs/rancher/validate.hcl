# validate: what k3s and rke2 can be asked for.

locals {
  # From this minor version of Kubernetes 1 on, they read a folder of settings of the kubelet.
  oldest_minor = 32
}

task "assert" "rancher" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = local.kubernetes_minor < 0 || local.kubernetes_minor >= local.oldest_minor
    message = fold(<<-EOT
      ${local.rancher} ${local.kubernetes_version} is too old: it does not read the settings of kubelets that kinit
      writes, which v1.${local.oldest_minor} and later ones do.
      EOT
    )
  }

  condition {
    holds = !local.has_windows
    message = fold(<<-EOT
      Clusters of ${local.rancher} have no nodes with Windows here: ${join(", ", local.windows_names)}. Give the pool
      another os, or take k8s.
      EOT
    )
  }
}
