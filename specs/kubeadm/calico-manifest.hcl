# calico-manifest: Calico by its own manifest, for clusters without Windows nodes. Its images are
# among those of the cluster's registry; those that the operator asks for are not.

variable "calico_url" {
  type    = string
  default = null
  description = fold(<<-EOT
    Where Calico's manifests are, for clusters without Windows nodes: a folder with crds.yaml and calico-vxlan.yaml.
    Without it the pinned ones of its repository.
    EOT
  )
}

locals {
  calico_plain = local.pod_network == "calico-vxlan" && !local.has_windows
  calico_pins  = local.calico_plain ? ["calico_node", "calico_cni", "calico_kube_controllers"] : []
  calico_manifests = {
    for name, file in { calico_definitions = "crds.yaml", calico_manifest = "calico-vxlan.yaml" } :
    name => merge(local.downloads[name], {
      for key in var.calico_url == null ? [] : ["url"] :
      key => "${trimsuffix(var.calico_url, "/")}/${file}"
    })
    if local.calico_plain
  }
}

block "calico_manifest" {
  stage = "cluster"
  when  = local.calico_plain
  host  = local.first_node

  task "download" "calico_manifest" {
    for_each   = local.calico_manifests
    url        = each.value.url
    sha256     = each.value.sha256
    sha512     = each.value.sha512
    unverified = "${each.value.sha256}${each.value.sha512}" == ""
    dest       = "/etc/kubernetes/kinit-${replace(each.key, "_", "-")}.yaml"
    mode       = "0600"
    advice     = "The first controller fetches Calico's manifests. The variable calico_url names another place of them."
    depends_on = [task.kubeadm_init.first]
  }

  # The definitions are too large for the annotation of a client-side apply.
  task "command" "calico_definitions" {
    argv = concat(local.kubectl, [
      "apply", "--server-side", "--force-conflicts", "--filename", "/etc/kubernetes/kinit-calico-definitions.yaml",
    ])
    unless = concat(local.kubectl, [
      "diff", "--server-side", "--force-conflicts", "--filename", "/etc/kubernetes/kinit-calico-definitions.yaml",
    ])
    depends_on = [task.download.calico_manifest]
  }

  task "wait" "calico_pools" {
    argv = concat(local.kubectl, [
      "wait", "--for", "condition=established", "--timeout", "50s", "crd/ippools.crd.projectcalico.org",
    ])
    within     = var.cluster_timeout
    depends_on = [task.command.calico_definitions]
  }

  # The first of Calico's nodes makes a pool where there is none, and that one would send pods' packets
  # without a tunnel between nodes of one network, which the overlay does not carry.
  task "kubectl_apply" "calico_pool" {
    kubeconfig = "/etc/kubernetes/admin.conf"
    content = templatefile("files/calico-pool.yaml", {
      api      = local.services_address
      port     = local.api_port
      pod_cidr = var.pod_cidr
    })
    depends_on = [task.wait.calico_pools]
  }

  task "command" "calico_manifest" {
    argv = concat(local.kubectl, [
      "apply", "--server-side", "--force-conflicts", "--filename", "/etc/kubernetes/kinit-calico-manifest.yaml",
    ])
    unless = concat(local.kubectl, [
      "diff", "--server-side", "--force-conflicts", "--filename", "/etc/kubernetes/kinit-calico-manifest.yaml",
    ])
    depends_on = [task.kubectl_apply.calico_pool]
  }
}
