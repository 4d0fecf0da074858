# nfs: volumes that are folders of a file server, by the CSI driver for NFS. All pods of a volume
# share it, whichever nodes they run on. The server is the user's own.
#
# Offers:
#   local.addon_nfs    what the addon nfs consists of
#   local.nfs_modules  the same of the addon nfs
#
# Needs:
#   local.addon_labels     labels of an addon's objects, by addon
#   local.build            whether the run goes on after clean-up
#   local.default_storage  the addon whose storage is the default one
#   local.evidence         what is shown of the nodes when a check fails
#   local.first_node       the controller that the others join
#   local.kubectl          kubectl as an administrator, on controllers
#   local.sample_image     the image of the sample workload
#   local.tagged           images with their tags
#   var.addons             the addons that a user chose
#   var.cluster_timeout    how long Kubernetes may take
#   task.wait.addon        waits for an addon's workloads

variable "nfs" {
  type    = object({ server = string, path = string, options = optional(list(string), ["nfsvers=4.1"]) })
  default = null
  description = fold(<<-EOT
    The file server of the addon nfs, which nodes can reach: its name or address, the exported path below which
    volumes are made, and options of mounts.
    EOT
  )

  validation {
    condition = (
      var.nfs == null
      ? true
      : can(regex("^[A-Za-z0-9.:-]+$", var.nfs.server)) && can(regex("^/[^\\s\"]*$", var.nfs.path))
    )
    error_message = "A file server has a name or an address, and a path that begins with /."
  }
}

locals {
  nfs_chosen  = contains(var.addons, "nfs")
  nfs_modules = { for name in local.nfs_chosen ? ["nfs"] : [] : name => "/sys/module/nfs" }
  nfs_pins = {
    driver      = "csi_nfs"
    provisioner = "csi_provisioner"
    registrar   = "csi_node_driver_registrar"
    liveness    = "csi_livenessprobe"
  }
  addon_nfs = {
    namespace = "kube-system"
    workloads = ["deployment/csi-nfs-controller", "daemonset/csi-nfs-node"]
    pins      = values(local.nfs_pins)
    content = join("---\n", [
      templatefile("files/nfs.yaml", {
        labels = local.addon_labels.nfs, images = { for name, pin in local.nfs_pins : name => local.tagged[pin] }
        nfs    = coalesce(var.nfs, { server = "", path = "", options = [] }), default = local.default_storage == "nfs"
      }),
      templatefile("../files/claim.yaml", {
        labels = local.addon_labels.nfs
        class  = "nfs"
        image  = local.sample_image
        mode   = "ReadWriteMany"
      }),
    ])
  }
}

task "assert" "nfs" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = !local.nfs_chosen || var.nfs != null
    message = fold(<<-EOT
      The addon nfs needs a file server. Name it, as by --var
      'nfs={ server = "files.example.org", path = "/export" }'.
      EOT
    )
  }
}

# A pod writes on a volume that was made for it.
task "wait" "nfs" {
  stage = "verify"
  when  = local.nfs_chosen
  host  = local.first_node
  argv = concat(local.kubectl, [
    "--namespace", "kinit-sample", "rollout", "status", "deployment/nfs", "--timeout", "25s",
  ])
  within = var.cluster_timeout
  evidence = concat(
    [concat(local.kubectl, ["--namespace", "kinit-sample", "describe", "persistentvolumeclaims,pods"])],
    local.evidence,
  )
  depends_on = [task.wait.addon]
}
