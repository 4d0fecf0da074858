# Keys and certificates, made once on the first hypervisor and kept there.

task "directory" "pki" {
  stage      = "network"
  hosts      = local.hypervisors
  path       = "${local.cluster_folder}/pki"
  mode       = "0700"
  depends_on = [task.directory.root]
}

block "cluster_keys" {
  stage = "network"
  host  = local.first_hypervisor

  task "directory" "ssh" {
    path       = "${local.cluster_folder}/ssh"
    mode       = "0700"
    depends_on = [task.directory.root]
  }

  task "x509_ca" "cluster" {
    key        = "${local.cluster_folder}/pki/ca.key"
    cert       = "${local.cluster_folder}/pki/ca.crt"
    cn         = "${cluster.name} services"
    depends_on = [task.directory.pki]
  }

  # One key for kinit to reach every guest of the cluster.
  task "ssh_key" "cluster" {
    path       = "${local.cluster_folder}/ssh/cluster"
    comment    = "kinit ${cluster.name}"
    depends_on = [task.directory.ssh]
  }

  # The host key each guest will have, so that the first connection is verified.
  task "ssh_key" "node" {
    for_each   = cluster.nodes
    path       = "${local.cluster_folder}/ssh/${each.key}"
    comment    = each.key
    depends_on = [task.directory.ssh]
  }
}
