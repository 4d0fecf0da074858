# cleanup: remove what this cluster owns and the spec no longer declares. With
# --recreate, or when it is the last stage, remove all it owns. What is unmarked is
# never touched. Each task plans again after it has removed: that is the second look.

locals {
  remove_all = run.recreate || run.stop_after == "cleanup"
}

task "podman_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  purge = run.purge
  keep = concat(
    ["kinit-${cluster.name}", "kinit-${cluster.name}-services"],
    [for name in keys(local.service_containers) : "kinit-${cluster.name}-${name}"],
    [for image in values(local.service_images) : image.name],
    [for name, on in local.driver_containers : name if on == host.name],
  )
}

task "ovn_sweep" "owned" {
  stage = "cleanup"
  host  = local.first
  all   = local.remove_all
  keep = concat(
    [local.switch, local.router, "kinit-external", "kinit-external-provider"],
    [for port in values(local.ports) : port.id],
  )
  # Routes to nodes that are gone go.
  keep_routes = concat(["0.0.0.0/0"], flatten(values(local.routed_networks)))
  depends_on  = [task.command.leave, task.command.leave_overlay]
}

task "ovs_sweep" "owned" {
  stage      = "cleanup"
  hosts      = local.hypervisors
  all        = local.remove_all
  keep       = concat(["br-int", "br-ex", local.management_device, local.services_device], [for name, on in local.driver_devices : name if on == host.name])
  depends_on = [task.ovn_sweep.owned]
}

task "sweep" "owned" {
  stage      = "cleanup"
  when       = local.remove_all
  hosts      = local.hypervisors
  all        = true
  purge      = run.purge
  depends_on = [task.ovs_sweep.owned]
}
