# cleanup: remove what this cluster owns and the spec no longer declares. With
# --recreate, or when it is the last stage, remove all it owns. What is unmarked is
# never touched. Each task plans again after it has removed: that is the second look.

locals {
  remove_all = run.recreate || run.stop_after == "cleanup"
}

# Clean-up needs no variable of the cluster that it removes.
record {
  removes = run.stop_after == "cleanup"
}

task "podman_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  purge = run.purge
  keep = [
    for name in concat(local.kept_containers[host.name], local.leaving_on[host.name]) :
    name if !contains(cluster.restore.recreate, name)
  ]
  # The address has left a pod before the pod goes.
  depends_on = [task.service.address_left, task.service.services_left]
}

task "ovn_sweep" "owned" {
  stage = "cleanup"
  host  = local.first_hypervisor
  all   = local.remove_all
  keep  = concat(local.kept_logical, [for node in values(local.leaving) : node.port_id])
  # Routes to nodes that are gone go.
  keep_routes = concat(local.kept_routes, local.leaving_routes)
  depends_on  = [task.command.leave, task.command.leave_overlay]
}

task "ovs_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  keep = concat(local.kept_devices[host.name], [
    for name in local.leaving_on[host.name] :
    local.leaving_devices[name]
  ])
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
