# restore: all controllers are recreated, the first one with the etcd of a backup and all with its keys.
# "kinit restore" reads the backup and gives the variables. The nodes that are no controllers stay as they are: they
# know the authority and the address of the API, and both are the same.
#
# Clean-up removes the controllers (cluster.restore.recreate). The record of the cluster then says that the
# restore has begun, so that an interrupted one goes on, and that no other run makes an empty cluster in its place.

variable "restore" {
  type = object({
    file  = string, id = string, cluster = string, made = string, names = list(string), snapshot_sha256 = string,
    about = map(string)
  })
  default     = null
  description = "Given by kinit restore: what the manifest of the backup says."
}

variable "restore_texts" {
  type        = map(string)
  default     = {}
  sensitive   = true
  description = "Given by kinit restore: the small parts of the backup."
}

variable "restore_identities" {
  type        = string
  default     = ""
  sensitive   = true
  description = "Given by kinit restore: the private keys that decrypt the backup."
}

variable "restore_passphrase" {
  type        = string
  default     = ""
  sensitive   = true
  description = "Given by kinit restore: the passphrase that decrypts the backup, in place of keys."
}

locals {
  restores = var.restore != null
  backed   = local.restores ? var.restore.about : {}
  snapshot = "/var/lib/kinit/restore/etcd.db"

  # What all controllers have in common: the backup has all of it.
  backed_list = try(var.restore.names, [])
  backed_pki  = [for name in local.shared_pki : name if contains(local.backed_list, "pki/${name}")]
  unbacked = local.restores ? [
    for name in local.shared_pki :
    "pki/${name}" if !contains(local.backed_list, "pki/${name}")
  ] : []

  # Versions without their patch level.
  backed_minor = try(regex("^v[0-9]+\\.[0-9]+", local.backed.kubernetes), "")
  this_minor   = try(regex("^v[0-9]+\\.[0-9]+", local.kubernetes_version), "")

  # Controllers that would be lost with what they have.
  overwritten = [
    for name in cluster.restore.recreate :
    name if contains(keys(cluster.restore.there), name) && !contains(cluster.restore.destroy, name)
  ]

  # Files of the backup by their paths in the cluster's folder, each from the hypervisor that used it,
  # and the hypervisor that uses it now.
  backed_names = { for name in local.backed_list : try(regex("^hypervisors/[^/]+/(.+)$", name)[0], "") => name... }
  backed_files = { for path, names in local.backed_names : path => {
    part = try(
      [
        for host in [local.backed.first, local.backed.services] :
        "hypervisors/${host}/${path}" if contains(names, "hypervisors/${host}/${path}")
      ][0],
      names[0],
    )
    host = (
      startswith(path, "registry-")
      ? local.services.hypervisor
      : startswith(path, "windows/")
      ? try(cluster.nodes[regex("^windows/([^.]+)", path)[0]].hypervisor, "")
      : local.first_hypervisor
    )
  } if path != "" && path != "cluster.json" && !startswith(path, "owned/") }
  restored_files = { for path, file in local.backed_files : path => file if file.host != "" }
  restored_dirs = {
    for dir in distinct([
      for path, file in local.restored_files :
      "${file.host}/${dirname(path)}" if dirname(path) != "."
    ]) :
    dir => { host = split("/", dir)[0], path = split("/", dir)[1] }
  }

  # Nodes that join a restored cluster.
  restored_nodes = local.restores ? [for name in local.all_nodes : name if name != local.first_node] : []
}

task "assert" "restore" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = contains(["", cluster.restore.id], cluster.restore.begun)
    message = fold(<<-EOT
      A restore of ${cluster.name} from the backup ${cluster.restore.begun} has begun and has not ended, so its
      controllers are not there. Run kinit restore with that backup again; with --recreate a new cluster is made,
      without what is in the backup.
      EOT
    )
  }

  condition {
    holds   = !local.restores || try(var.restore.cluster, "") == cluster.name
    message = "The backup is of the cluster ${try(var.restore.cluster, "")}, and this spec is of ${cluster.name}."
  }

  condition {
    holds   = !local.restores || length(local.unbacked) == 0
    message = "The backup lacks ${join(", ", local.unbacked)}."
  }

  condition {
    holds = !local.restores || local.backed_minor == local.this_minor
    message = fold(<<-EOT
      The backup is of Kubernetes ${try(local.backed.kubernetes, "")}, and this spec deploys
      ${local.kubernetes_version}. Restore with the minor version of the backup, as by --var
      kubernetes_version=${try(local.backed.kubernetes, "")}, and change it afterwards.
      EOT
    )
  }

  condition {
    holds = (
      !local.restores ||
      alltrue([
        for name in ["domain", "pod_cidr", "service_cidr"] :
        try(local.backed[name], "") == local.backup_about[name]
      ])
    )
    message = "What nodes and pods of the backup know of the cluster differs from this spec: ${join(", ", [
      for name in ["domain", "pod_cidr", "service_cidr"] :
      "${name} was ${try(local.backed[name], "")} and is ${local.backup_about[name]}"
      if try(local.backed[name], "") != local.backup_about[name]
    ])}. Restore with what the backup says."
  }

  condition {
    holds = length(cluster.restore.machines) == 0
    message = fold(<<-EOT
      These controllers are machines that exist already, which kinit does not recreate:
      ${join(", ", cluster.restore.machines)}.
      EOT
    )
  }

  condition {
    holds = length(local.overwritten) == 0
    message = fold(<<-EOT
      These controllers exist, and would be removed with their state, which may be newer than the backup of
      ${try(var.restore.made, "")}: ${join(", ", local.overwritten)}. With
      ${join(" ", [for name in local.overwritten : "--yes-destroy ${trimprefix(name, "${cluster.name}-")}"])} they are
      recreated from the backup anyway.
      EOT
    )
  }
}

# What has been made at random is as it was, before anything makes it again.
task "directory" "restored" {
  stage      = "places"
  for_each   = local.restored_dirs
  host       = each.value.host
  path       = "${local.cluster_folder}/${each.value.path}"
  mode       = "0700"
  depends_on = [task.directory.root, task.copy.record]
}

task "copy" "restored" {
  stage          = "places"
  for_each       = local.restored_files
  host           = each.value.host
  dest           = "${local.cluster_folder}/${each.key}"
  content_secret = var.restore_texts[each.value.part]
  mode           = endswith(each.key, ".crt") || endswith(each.key, ".pub") ? "0644" : "0600"
  depends_on     = [task.directory.root, task.directory.restored, task.copy.record]
}

# Nothing of the backup but this is on a node before kubeadm uses it.
task "backup_part" "snapshot" {
  stage      = "cluster"
  for_each   = toset(local.restores ? [local.first_node] : [])
  host       = each.key
  file       = var.restore.file
  part       = "etcd.db"
  sha256     = var.restore.snapshot_sha256
  identities = var.restore_identities
  passphrase = var.restore_passphrase
  dest       = local.snapshot
  timeout    = "6h"
}

task "file" "snapshot" {
  stage      = "computes"
  for_each   = toset(local.restores ? [local.first_node] : [])
  host       = each.key
  path       = local.snapshot
  state      = "absent"
  depends_on = [task.kubeadm_init.first]
}

# A recreated node is another machine with the name of one that the backup takes for Ready, and
# kubeadm joins no such node. One that has joined stays.
task "command" "joined" {
  stage     = "cluster"
  hosts     = local.restored_nodes
  argv      = ["sh", "-c", "test ! -e /etc/kubernetes/kubelet.conf || echo joined"]
  read_only = true
}

task "command" "restored_node" {
  stage      = "cluster"
  for_each   = toset(local.restored_nodes)
  when       = trimspace(task.command.joined[each.key].stdout) == ""
  host       = local.first_node
  argv       = concat(local.kubectl, ["delete", "node", each.key])
  only_if    = concat(local.kubectl, ["get", "node", each.key])
  depends_on = [task.kubeadm_init.first]
}

# The first controller keeps its node in Kubernetes, and the pods that the backup has there are of the machine
# before: it would take the network's for one that has set the new machine up.
task "command" "restored_pods" {
  stage    = "cluster"
  for_each = toset(local.restores ? [local.first_node] : [])
  host     = each.key
  argv = concat(
    ["sh", "-c", fold(<<-EOT
      kubectl --kubeconfig "$1" delete pods --all-namespaces --field-selector "spec.nodeName=$2" --force
      --grace-period 0 && touch "$3"
      EOT
    )],
    ["pods", local.admin_conf, each.key, "${dirname(local.snapshot)}/pods"],
  )
  creates    = "${dirname(local.snapshot)}/pods"
  depends_on = [task.kubeadm_init.first, task.backup_part.snapshot]
}

# Everything is recreated: an ordinary run may follow.
task "copy" "record_restored" {
  stage   = "drain"
  hosts   = local.restores ? local.hypervisors : []
  dest    = cluster.record.path
  content = cluster.record.left
  mode    = "0600"
}
