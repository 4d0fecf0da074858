# rke2: Kubernetes whose components are pods that its program starts. A version is that of Kubernetes
# and the number of the release after +rke2r. The project never ran it.

import {
  source = "rancher"
}

variable "rke2_url" {
  type    = string
  default = null
  description = fold(<<-EOT
    Where the releases of rke2 are, in the layout of its project's, which are the default:
    URL/VERSION/rke2.linux-amd64.tar.gz, URL/VERSION/sha256sum-amd64.txt.
    EOT
  )
}

record {
  fixed = { distribution = "rke2" }
}

locals {
  release_version  = local.pins.rke2.version
  release_pattern  = "^v1\\.([0-9]+)\\.[0-9]+\\+rke2r[0-9]+$"
  release_tested   = []
  release_networks = ["flannel-vxlan"]

  rancher         = "rke2"
  rancher_pins    = { program = "rke2", images = "rke2_images" }
  rancher_archive = true
  rancher_site    = var.rke2_url
  rancher_url     = "rke2_url"
  rancher_units   = { server = "rke2-server.service", agent = "rke2-agent.service" }
  rancher_join    = "https://${cluster.nodes[local.first_node].ip}:9345"
  rancher_kubectl = "${local.rancher_data}/bin/kubectl"

  # canal carries packets by flannel's VXLAN. The cluster's load balancer leads to node ports.
  rancher_server = {
    cni = "canal"
    disable = concat(["rke2-ingress-nginx"], [
      for addon, own in { metrics-server = "rke2-metrics-server" } :
      own if contains(var.addons, addon)
    ])
  }
  rancher_first = {}
  rancher_nodes = {}

  # VXLAN takes 50 bytes of the nodes' network.
  canal_overhead = 50
  canal_settings = "${local.rancher_data}/server/manifests/kinit-canal.yaml"
}

# canal finds its device by the way outside, which is another one on machines on the overlay.
task "assert" "canal" {
  stage = "validate"
  when  = local.build
  early = true

  condition {
    holds = length(local.driver_chassis) == 0
    message = fold(<<-EOT
      The network of rke2's pods would not be on the overlay of these machines: ${join(", ", local.driver_chassis)}.
      Leave overlay out of their pool, or take k3s or k8s.
      EOT
    )
  }
}

# It does not ask the nodes' network for its MTU.
task "directory" "manifests" {
  stage      = "cluster"
  host       = local.first_node
  path       = dirname(local.canal_settings)
  mode       = "0700"
  depends_on = [task.directory.authority]
}

task "copy" "canal" {
  stage = "cluster"
  host  = local.first_node
  dest  = local.canal_settings
  content = yamlencode({
    apiVersion = "helm.cattle.io/v1"
    kind       = "HelmChartConfig"
    metadata   = { name = "rke2-canal", namespace = "kube-system" }
    spec = { valuesContent = yamlencode({ calico = {
      vethuMTU = coalesce(local.overlay_mtu, 1500) - local.canal_overhead
    } }) }
  })
  mode       = "0600"
  depends_on = [task.directory.manifests]
}
