# leave: nodes that the cluster has and its spec no longer leave when all else is as it should be:
# clean-up keeps them until then, and the distribution takes them out of what runs on them. The same
# sweeps as those of clean-up then remove their machines.

locals {
  leaving    = { for name, node in cluster.leaving : name => node if !local.remove_all }
  leaving_by = { for name, node in local.leaving : node.hypervisor => name... }
  leaving_on = { for h in local.hypervisors : h => lookup(local.leaving_by, h, []) }
  leaves     = length(local.leaving) > 0

  kept_services = concat(
    ["kinit-${cluster.name}", "kinit-${cluster.name}-services"],
    [for name in keys(local.service_containers) : "kinit-${cluster.name}-${name}"],
    [for image in values(local.service_images) : image.name],
  )

  driver_containers_on = { for name, on in local.driver_containers : on => name... }
  driver_devices_on    = { for name, on in local.driver_devices : on => name... }

  # What sweeps keep on each hypervisor, and of the overlay's databases. Services that leave a hypervisor
  # leave it at once: others have their address then.
  kept_containers = { for h in local.hypervisors : h => concat(
    contains(local.services_left, h) ? [] : local.kept_services,
    lookup(local.driver_containers_on, h, []),
  ) }
  kept_devices = { for h in local.hypervisors : h => concat(
    ["br-int", "br-ex", local.management_device], contains(local.services_left, h) ? [] : [local.services_device],
    lookup(local.driver_devices_on, h, []),
  ) }
  kept_logical = concat(
    [local.switch, local.router, "kinit-external", "kinit-external-provider"],
    [for port in values(local.ports) : port.id],
  )
  kept_routes = concat(["0.0.0.0/0"], flatten(values(local.routed_networks)))
}

task "podman_sweep" "left" {
  stage = "leave"
  when  = local.leaves
  hosts = local.hypervisors
  keep  = local.kept_containers[host.name]
}

task "ovn_sweep" "left" {
  stage       = "leave"
  when        = local.leaves
  host        = local.first_hypervisor
  keep        = local.kept_logical
  keep_routes = local.kept_routes
  depends_on  = [task.podman_sweep.left, task.libvirt_sweep.left]
}

task "ovs_sweep" "left" {
  stage      = "leave"
  when       = local.leaves
  hosts      = local.hypervisors
  keep       = local.kept_devices[host.name]
  depends_on = [task.ovn_sweep.left]
}

# From now on no record has them. A node that returns keeps its place.
task "copy" "record_left" {
  stage      = "leave"
  when       = local.leaves
  hosts      = local.hypervisors
  dest       = cluster.record.path
  content    = cluster.record.left
  mode       = "0600"
  depends_on = [task.ovs_sweep.left, task.sweep.podman_left, task.service.podman_left_late]
}
