# images: those of Kubernetes in another version than the pinned one, as its own kubeadm names
# them. Everything else of the version follows from it.

block "listed_images" {
  stage = "images"
  when  = local.build && local.images_listed
  host  = local.services.hypervisor

  task "download" "kubeadm" {
    url        = local.kubernetes_programs.kubeadm.url
    sha256_url = local.kubernetes_programs.kubeadm.sha256_url
    dest       = "${local.cluster_folder}/kubeadm"
    mode       = "0755"
    timeout    = "20m"
    advice = fold(<<-EOT
      The services' hypervisor fetches kubeadm. The variable ${local.release_url} names another site with the same
      layout.
      EOT
    )
    depends_on = [task.directory.root]
  }

  task "command" "images" {
    argv = [
      "${local.cluster_folder}/kubeadm", "config", "images", "list", "--kubernetes-version",
      local.kubernetes_version,
    ]
    read_only  = true
    depends_on = [task.download.kubeadm]
  }
}
