# backup: etcd, and what only this cluster has on its hypervisors and its controllers, in one encrypted
# file. "kinit backup" gives the variables.

variable "backup" {
  type        = object({ file = string, replace = bool, recipients = list(string), program = string })
  default     = null
  description = "Given by kinit backup: the file on the machine that kinit runs on, and whose keys can read it."
}

variable "backup_passphrase" {
  type        = string
  default     = ""
  sensitive   = true
  description = "Given by kinit backup: the passphrase that encrypts the backup, in place of keys."
}

locals {
  # What all controllers have in common.
  shared_pki = [
    "ca.crt", "ca.key", "sa.key", "sa.pub", "front-proxy-ca.crt", "front-proxy-ca.key", "etcd/ca.crt",
    "etcd/ca.key",
  ]

  # What a later cluster must have in common with this one, to be restored from the backup.
  backup_about = {
    kubernetes   = local.kubernetes_version
    domain       = cluster.domain
    pod_cidr     = var.pod_cidr
    service_cidr = var.service_cidr
    first        = local.first_hypervisor
    services     = local.services.hypervisor
  }
}

# Random values, which nothing but their files has: keys of authorities, of SSH and of the registry.
task "command" "kept" {
  stage     = "verify"
  hosts     = var.backup == null ? [] : local.hypervisors
  argv      = ["sh", "-c", file("files/kept.sh"), "kept", local.cluster_folder]
  read_only = true
  sensitive = true
}

task "command" "instance" {
  stage     = "verify"
  for_each  = toset(var.backup == null ? [] : ["cluster"])
  host      = local.first_hypervisor
  argv      = ["cat", "${local.cluster_folder}/owned/instance.json"]
  read_only = true
}

task "command" "backup_pki" {
  stage     = "verify"
  for_each  = toset(var.backup == null ? [] : local.shared_pki)
  host      = local.first_node
  argv      = ["cat", "/etc/kubernetes/pki/${each.key}"]
  read_only = true
  sensitive = true
}

task "backup" "backup" {
  stage      = "verify"
  for_each   = toset(var.backup == null ? [] : ["cluster"])
  host       = local.first_node
  file       = var.backup.file
  replace    = var.backup.replace
  recipients = var.backup.recipients
  passphrase = var.backup_passphrase
  program    = var.backup.program
  owner      = cluster.name
  instance   = jsondecode(task.command.instance["cluster"].stdout).id
  about      = local.backup_about
  texts = merge(
    { for name, part in task.command.backup_pki : "pki/${name}" => part.stdout },
    [for host, files in task.command.kept : {
      for line in compact(split("\n", files.stdout)) :
      "hypervisors/${host}/${split(" ", line)[0]}" => base64decode(split(" ", line)[1])
    }]...
  )
  timeout = "6h"
}
