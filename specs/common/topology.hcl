# topology: what "kinit graph --topology" and reports draw besides nodes and hypervisors.

locals {
  service_titles = { haproxy = "load balancer", dns = "DNS", registry = "registry", web = "file server" }
}

output "topology" {
  description = "The overlay, and the services and published ports of pods, for drawings."
  value = {
    overlay = !local.overlay ? null : {
      switch   = local.switch
      router   = local.router
      tunnels  = "Geneve"
      outside  = local.external_address
      networks = [for cidr in local.pod_networks : { name = "pods", cidr = cidr }]
    }
    pods = {
      (local.services.name) = {
        services = [
          for name in keys(local.service_containers) :
          { name = lookup(local.service_defaults, name, name), title = lookup(local.service_titles, name, "service") }
        ]
        ports = [for outside, inside in local.published_ports : { outside = tonumber(outside), inside = inside }]
      }
    }
  }
}
