# place: where people work with the cluster, on the hypervisor of its services: kubectl, the
# kubeconfig, and a shell that has both, for "kinit ssh SPEC services".

variable "kubectl" {
  type    = string
  default = ""
  description = fold(<<-EOT
    A kubectl on the services' hypervisor, for "kinit ssh SPEC services". Without it kubectl is fetched, unless nodes
    have the programs of Kubernetes preinstalled.
    EOT
  )
}

locals {
  place = "${local.cluster_folder}/place"
}

task "directory" "place" {
  stage      = "services"
  hosts      = local.services_hosts
  path       = local.place
  mode       = "0700"
  depends_on = [task.directory.root]
}

block "place" {
  stage      = "services"
  hosts      = local.services_hosts
  depends_on = [task.directory.place]

  task "download" "kubectl" {
    when       = var.kubectl == "" && local.kubectl_fetched && length(local.linux_nodes) > 0
    url        = local.kubectl_program.url
    sha256     = local.kubectl_program.sha256
    sha512     = local.kubectl_program.sha512
    sha256_url = local.kubectl_program.sha256_url
    unverified = (
      "${local.kubectl_program.sha256}${local.kubectl_program.sha512}${local.kubectl_program.sha256_url}" ==
      ""
    )
    dest    = "${local.place}/kubectl"
    mode    = "0755"
    timeout = "20m"
    advice  = "The services' hypervisor fetches kubectl. ${local.kubectl_advice}"
  }

  task "link" "kubectl" {
    for_each = toset(var.kubectl == "" ? [] : [var.kubectl])
    path     = "${local.place}/kubectl"
    target   = each.key
  }

  task "copy" "place_kubeconfig" {
    dest = "${local.place}/kubeconfig"
    content_secret = templatefile("files/kubeconfig.yaml", {
      cluster = local.cluster_names
      api     = local.api
      server = (
        local.overlay
        ? "https://${local.services_address}:6443"
        : "https://${task.facts.underlay[host.name].route_address}:${local.outside_port}"
      )
      others      = {}
      ca          = task.x509_ca.kubernetes.cert_pem
      certificate = task.x509_certificate.admin.cert_pem
      key         = task.x509_certificate.admin.key_pem
    })
    mode = "0600"
  }

  task "copy" "shell" {
    dest    = "${local.place}/shell.sh"
    content = templatefile("files/shell.sh", { cluster = local.cluster_names, place = local.place })
    mode    = "0755"
  }
}

host "services" {
  address = local.services.ip
  via     = local.services.hypervisor
  shell   = ["sh", "${local.place}/shell.sh"]
}

# The same on the other hypervisors of the services, such as services-tyto.
host "services_others" {
  for_each = toset(local.services_others)
  name     = "services-${each.key}"
  address  = local.services_on[each.key].ip
  via      = each.key
  shell    = ["sh", "${local.place}/shell.sh"]
}
