# k3s: Kubernetes in one small program. A version is that of Kubernetes and the number of the release
# after +k3s. The project never ran it.

import {
  source = "rancher"
}

variable "k3s_url" {
  type    = string
  default = null
  description = fold(<<-EOT
    Where the releases of k3s are, in the layout of its project's, which are the default: URL/VERSION/k3s,
    URL/VERSION/sha256sum-amd64.txt.
    EOT
  )
}

record {
  fixed = { distribution = "k3s" }
}

locals {
  release_version  = local.pins.k3s.version
  release_pattern  = "^v1\\.([0-9]+)\\.[0-9]+\\+k3s[0-9]+$"
  release_tested   = []
  release_networks = ["flannel-vxlan", "flannel-host-gw"]

  rancher         = "k3s"
  rancher_pins    = { program = "k3s", images = "k3s_images" }
  rancher_archive = false
  rancher_site    = var.k3s_url
  rancher_url     = "k3s_url"
  rancher_units   = { server = "k3s.service", agent = "k3s-agent.service" }
  rancher_join    = local.api_url
  rancher_kubectl = local.rancher_program

  # The cluster's load balancer leads to node ports: nothing else takes the nodes' ports 80 and 443.
  rancher_server = {
    flannel-backend = trimprefix(local.pod_network, "flannel-")
    disable = concat(["traefik", "servicelb"], [
      for addon, own in { metrics-server = "metrics-server", local-path = "local-storage" } :
      own if contains(var.addons, addon)
    ])
  }
  rancher_first = { cluster-init = true }
  # A machine on the overlay has further networks: flannel would take another one.
  rancher_nodes = { for name in local.driver_chassis : name => { flannel-iface = local.machine_device } }
}
