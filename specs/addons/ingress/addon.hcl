# ingress: Traefik serves Ingress objects at the node ports that the load balancer's ports 80 and
# 443 lead to. The sample workload is then reached by an Ingress, so verification asks through it.

locals {
  ingress_served = contains(var.addons, "ingress")
  addon_ingress = {
    namespace = "traefik"
    workloads = ["deployment/traefik"]
    pins      = ["traefik"]
    content = join("---\n", [
      templatefile("files/ingress.yaml", {
        labels  = local.addon_labels.ingress
        image   = local.tagged.traefik
        ports   = var.ingress_node_ports
        address = local.services_address
      }),
      templatefile("files/sample.yaml", { labels = local.addon_labels.ingress }),
    ])
  }
}
