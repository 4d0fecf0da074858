# authority: who the cluster believes, and who administers it.

block "authority" {
  stage = "network"
  host  = local.first_hypervisor

  # The authority is made beforehand, so that joining parses no program's output and all nodes
  # join at the same time. Each joins with a certificate that is made for it and for two hours.
  task "x509_ca" "kubernetes" {
    key        = "${local.cluster_folder}/pki/kubernetes.key"
    cert       = "${local.cluster_folder}/pki/kubernetes.crt"
    cn         = "kubernetes"
    depends_on = [task.directory.pki]
  }

  # Who administers the cluster: a certificate of the same authority, so that the
  # kubeconfig needs nothing from the nodes.
  task "x509_certificate" "admin" {
    key           = "${local.cluster_folder}/pki/admin.key"
    cert          = "${local.cluster_folder}/pki/admin.crt"
    ca_cert       = task.x509_ca.kubernetes.cert
    ca_key        = task.x509_ca.kubernetes.key
    cn            = "kinit-admin"
    organizations = ["system:masters"]
    usages        = ["client"]
    type          = "rsa"
  }
}

output "kubeconfig" {
  sensitive = true
  value = templatefile("files/kubeconfig.yaml", {
    cluster = local.cluster_names, api = local.api
    # From outside the load balancer answers on its hypervisor; the name in the
    # certificate is the cluster's own.
    server = "https://${task.facts.underlay[local.services.hypervisor].route_address}:${local.outside_port}"
    # The other hypervisors of the services, each by a context of its own, such as k8s@tyto.
    others = {
      for h in local.services_others :
      h => "https://${task.facts.underlay[h].route_address}:${local.outside_port}"
    }
    ca          = task.x509_ca.kubernetes.cert_pem
    certificate = task.x509_certificate.admin.cert_pem
    key         = task.x509_certificate.admin.key_pem
  })
}

# The cluster outlives its first hypervisor: others have the authority too.
block "authority_copies" {
  stage = "network"
  hosts = local.copy_hosts

  task "copy" "authority_copy" {
    for_each       = toset(["key", "crt"])
    dest           = "${local.cluster_folder}/pki/kubernetes.${each.key}"
    content_secret = each.key == "key" ? task.x509_ca.kubernetes.key_pem : task.x509_ca.kubernetes.cert_pem
    mode           = each.key == "key" ? "0600" : "0644"
    depends_on     = [task.directory.pki]
  }
}
