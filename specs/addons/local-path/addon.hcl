# local-path: volumes that are folders of the node on which their pod runs. They are as safe and
# as large as its disk, and a pod with one stays on that node.
#
# Offers:
#   local.addon_local_path  what the addon local-path consists of
#
# Needs:
#   local.addon_labels     labels of an addon's objects, by addon
#   local.default_storage  the addon whose storage is the default one
#   local.evidence         what is shown of the nodes when a check fails
#   local.first_node       the controller that the others join
#   local.kubectl          kubectl as an administrator, on controllers
#   local.sample_image     the image of the sample workload
#   local.tagged           images with their tags
#   var.addons             the addons that a user chose
#   var.cluster_timeout    how long Kubernetes may take
#   task.wait.addon        waits for an addon's workloads

locals {
  local_path_folder = "/var/lib/kubelet/kinit-volumes" # which a node that leaves takes along
  addon_local_path = {
    namespace = "local-path-storage"
    workloads = ["deployment/local-path-provisioner"]
    pins      = ["local_path_provisioner"]
    content = join("---\n", [
      templatefile("files/local-path.yaml", {
        labels  = local.addon_labels.local-path
        image   = local.tagged.local_path_provisioner
        helper  = local.sample_image
        default = local.default_storage == "local-path", folder = local.local_path_folder
      }),
      templatefile("../files/claim.yaml", {
        labels = local.addon_labels.local-path
        class  = "local-path"
        image  = local.sample_image
        mode   = "ReadWriteOnce"
      }),
    ])
  }
}

# A pod writes on a volume that was made for it.
task "wait" "local_path" {
  stage = "verify"
  when  = contains(var.addons, "local-path")
  host  = local.first_node
  argv = concat(local.kubectl, [
    "--namespace", "kinit-sample", "rollout", "status", "deployment/local-path", "--timeout", "25s",
  ])
  within = var.cluster_timeout
  evidence = concat(
    [concat(local.kubectl, ["--namespace", "kinit-sample", "describe", "persistentvolumeclaims,pods"])],
    local.evidence,
  )
  depends_on = [task.wait.addon]
}
