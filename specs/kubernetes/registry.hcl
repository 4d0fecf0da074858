# registry: who puts images into the cluster's registry. What they are is the distribution's.

locals {
  # The forms of a manifest that the registry is asked for.
  manifest_types = [
    "application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
  ]

  # push.sh with what it needs, as a check or to push.
  push = { for verb in ["check", "push"] : verb => concat(
    [
      "sh", "-c", file("files/push.sh"), "push", verb, local.registry_local, "${local.cluster_folder}/registry-client",
    ], local.pushed,
  ) }
  push_advice = fold(<<-EOT
    The services' hypervisor fetches these images. The variable image_mirrors names other places of their registries,
    registry_logins who may pull there, and container_images other images.
    EOT
  )
}

task "directory" "registry_client" {
  stage      = "services"
  hosts      = local.services_hosts
  path       = "${local.cluster_folder}/registry-client"
  mode       = "0700"
  depends_on = [task.directory.root]
}

block "registry_client" {
  stage      = "services"
  hosts      = local.services_hosts
  depends_on = [task.directory.registry_client]

  task "copy" "registry_client_ca" {
    dest    = "${local.cluster_folder}/registry-client/ca.crt"
    content = task.x509_ca.cluster.cert_pem
  }

  task "copy" "registry_auth" {
    dest = "${local.cluster_folder}/registry-client/auth.json"
    content_secret = jsonencode({
      auths = merge(
        {
          for registry, login in var.registry_logins :
          registry => { auth = base64encode("${login.user}:${login.password}") }
        },
        { (local.registry_local) = { auth = base64encode("kinit:${task.secret.registry_password.value}") } },
      )
    })
    mode = "0600"
  }

  task "copy" "registry_curl" {
    dest           = "${local.cluster_folder}/registry-client/curl.conf"
    content_secret = <<-EOT
      user = "kinit:${task.secret.registry_password.value}"
      header = "Accept: ${join(", ", local.manifest_types)}"
    EOT
    mode           = "0600"
  }
}
