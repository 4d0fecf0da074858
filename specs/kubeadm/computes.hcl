# computes: all further nodes join at the same time.

# A node that has moved is another machine with the name of one that the cluster still takes for
# Ready, and kubeadm joins no such node.
task "command" "former_node" {
  stage    = "computes"
  for_each = toset([for n in local.computes : n.name if contains(keys(cluster.moves), n.name)])
  host     = local.first_node
  argv     = concat(local.kubectl, ["delete", "node", each.key])
  only_if  = concat(local.kubectl, ["get", "node", each.key])
}

# In a cluster without controllers, which validation refuses, the first node is one of these.
task "kubeadm_join" "compute" {
  stage = "computes"
  for_each = {
    for n in local.computes :
    n.name => n if !startswith(n.os, "windows") && n.name != local.first_node
  }
  host             = each.key
  config           = task.kubeadm_config.join[each.key].path
  ignore_preflight = concat(var.ignore_preflight, task.facts.node[host.name].container == "" ? [] : local.shared_kernel)
  timeout          = var.cluster_timeout
  depends_on       = [task.copy.kubelet_patch[each.key], task.command.former_node]

  login {
    file    = local.login
    server  = local.api_url
    ca_cert = task.x509_ca.kubernetes.cert_pem
    ca_key  = task.x509_ca.kubernetes.key_pem
  }

  # A busy API server may not answer at once; a join that failed half-way is reset.
  retry {
    attempts = 3
    delay    = "10s"
  }
}
