# ovn: with pod_network = "ovn-routes" kinit gives nodes the subnets of their pods, so the
# controller manager gives none.

locals {
  network_args = {
    for name in local.ovn_routes ? ["controller_manager"] : [] :
    name => merge({ "allocate-node-cidrs" = "false" }, lookup(local.component_args, name, {}))
  }
}
