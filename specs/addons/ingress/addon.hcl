# ingress: Traefik serves Ingress objects at the node ports that the load balancer's ports 80 and
# 443 lead to. The sample workload is then reached by an Ingress, so verification asks through it.
#
# Offers:
#   local.addon_ingress   what the addon ingress consists of
#   local.ingress_served  whether the addon ingress is chosen
#
# Needs:
#   local.addon_labels      labels of an addon's objects, by addon
#   local.services_address  where nodes find the services
#   local.tagged            images with their tags
#   var.addons              the addons that a user chose
#   var.ingress_node_ports  the node ports of the addon ingress

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
