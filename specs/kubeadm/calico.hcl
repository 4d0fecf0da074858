# calico: the network between pods by Calico's operator, with VXLAN, which is all that
# Windows nodes can do. Chosen by pod_network = "calico-vxlan" in clusters with such nodes; the others
# have Calico without its operator.

variable "calico_operator" {
  type    = object({ url = string, sha256 = optional(string, "") })
  default = null
  description = fold(<<-EOT
    The manifest of Calico's operator, 3.27 or later for Windows nodes, and its checksum; the pinned one where it is
    not said.
    EOT
  )
}

locals {
  calico_operator = var.calico_operator != null ? merge({ sha512 = "" }, var.calico_operator) : {
    for key in ["url", "sha256", "sha512"] :
    key => local.downloads.calico_operator[key]
  }
  calico          = local.pod_network == "calico-vxlan" && local.has_windows
  calico_manifest = "/etc/kubernetes/kinit-tigera-operator.yaml"
}

block "calico" {
  stage = "cluster"
  when  = local.calico
  host  = local.first_node

  task "download" "calico" {
    url        = local.calico_operator.url
    sha256     = local.calico_operator.sha256
    sha512     = local.calico_operator.sha512
    unverified = "${local.calico_operator.sha256}${local.calico_operator.sha512}" == ""
    dest       = local.calico_manifest
    mode       = "0600"
    depends_on = [task.kubeadm_init.first]
  }

  # The definitions in it are too large for the annotation of a client-side apply.
  task "command" "calico_operator" {
    argv = concat(local.kubectl, [
      "apply", "--server-side", "--force-conflicts", "--filename", local.calico_manifest,
    ])
    unless = concat(local.kubectl, [
      "diff", "--server-side", "--force-conflicts", "--filename", local.calico_manifest,
    ])
    depends_on = [task.download.calico]
  }

  task "wait" "calico_definitions" {
    argv = concat(local.kubectl, [
      "wait", "--for", "condition=established", "--timeout", "50s", "crd/installations.operator.tigera.io",
      "crd/ipamconfigs.crd.projectcalico.org",
    ])
    within     = var.cluster_timeout
    depends_on = [task.command.calico_operator]
  }

  task "kubectl_apply" "calico" {
    kubeconfig = "/etc/kubernetes/admin.conf"
    content = templatefile("files/calico.yaml", {
      cluster      = local.cluster_names
      api          = local.services_address
      pod_cidr     = var.pod_cidr
      service_cidr = var.service_cidr
      windows      = length(local.windows_nodes) > 0
      several      = length(local.driver_chassis) > 0
    })
    depends_on = [task.wait.calico_definitions]
  }

  # An address block belongs to one node alone: Windows nodes cannot borrow from others'.
  task "command" "calico_affinity" {
    when = length(local.windows_nodes) > 0
    argv = concat(local.kubectl, [
      "patch", "ipamconfigs.crd.projectcalico.org", "default", "--type", "merge", "--patch",
      jsonencode({ spec = { strictAffinity = true } }),
    ])
    unless = ["sh", "-c", fold(<<-EOT
      test "$(kubectl --kubeconfig /etc/kubernetes/admin.conf get ipamconfigs.crd.projectcalico.org default
      --output 'jsonpath={.spec.strictAffinity}')" = true
      EOT
    )]
    depends_on = [task.kubectl_apply.calico]

    # The operator makes the object some time after its installation.
    retry {
      attempts = 30
      delay    = "10s"
    }
  }
}
