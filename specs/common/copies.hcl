# copies: what cannot be recreated is on further hypervisors too, so that the cluster outlives its first
# one: the next one is the first then, and finds the same keys. All else that the first hypervisor has
# follows from these and from the record of places.

locals {
  # Those that keep copies: with the first one three, or all if there are fewer.
  copy_hosts = slice(local.hypervisors, min(1, length(local.hypervisors)), min(3, length(local.hypervisors)))

  # Keys below the cluster's folder, by their paths there.
  first_keys = merge(
    { "pki/ca.key" = task.x509_ca.cluster.key_pem, "ssh/cluster" = task.ssh_key.cluster.private_key },
    { for name, key in task.ssh_key.node : "ssh/${name}" => key.private_key },
  )
}

block "copies" {
  stage = "network"
  hosts = local.copy_hosts

  task "directory" "ssh_copies" {
    path       = "${local.cluster_folder}/ssh"
    mode       = "0700"
    depends_on = [task.directory.root]
  }

  task "copy" "first_key" {
    for_each       = toset(concat(["pki/ca.key", "ssh/cluster"], [for name in keys(cluster.nodes) : "ssh/${name}"]))
    dest           = "${local.cluster_folder}/${each.key}"
    content_secret = local.first_keys[each.key]
    mode           = "0600"
    depends_on     = [task.directory.pki, task.directory.ssh_copies]
  }

  task "copy" "first_certificate" {
    dest       = "${local.cluster_folder}/pki/ca.crt"
    content    = task.x509_ca.cluster.cert_pem
    mode       = "0644"
    depends_on = [task.directory.pki]
  }
}

# The authorities of the overlay.
block "overlay_copies" {
  stage = "network"
  when  = local.overlay
  hosts = local.overlay ? local.copy_hosts : []

  task "copy" "overlay_authority" {
    for_each       = toset(["key", "crt"])
    dest           = "${local.overlay_pki}/ca.${each.key}"
    content_secret = each.key == "key" ? task.x509_ca.overlay.key_pem : task.x509_ca.overlay.cert_pem
    mode           = each.key == "key" ? "0600" : "0644"
    depends_on     = [task.directory.overlay]
  }

  task "copy" "databases_authority" {
    when           = local.clustered
    dest           = "${local.overlay_pki}/databases-ca.key"
    content_secret = task.x509_ca.databases.key_pem
    mode           = "0600"
    depends_on     = [task.directory.overlay]
  }
}
