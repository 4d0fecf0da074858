# cleanup: remove what this cluster owns and the spec no longer declares. With
# --recreate, or when it is the last stage, remove all it owns. What is unmarked is
# never touched. Each task plans again after it has removed: that is the second look.

locals {
  remove_all = run.recreate || run.stop_after == "cleanup"
}

task "libvirt_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  keep  = concat(keys(cluster.nodes), local.windows_builds)
  keep_volumes = concat(local.windows_build_volumes, flatten([for name in keys(cluster.nodes) : [
    "${local.image_dir}/${name}.qcow2", "${local.image_dir}/${name}-seed.iso",
  ]]))
}

task "podman_sweep" "owned" {
  stage = "cleanup"
  hosts = local.hypervisors
  all   = local.remove_all
  purge = run.purge
  keep = concat(
    ["kinit-${cluster.name}", "kinit-${cluster.name}-services"],
    [for name in keys(local.service_containers) : "kinit-${cluster.name}-${name}"],
    [for image in values(var.service_images) : image.name],
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
  depends_on = [task.command.leave]
}

# A chassis that no cluster needs any more says good-bye, so that nobody keeps a
# tunnel to it. It must still know where the southbound database is.
task "command" "leave" {
  stage      = "cleanup"
  when       = local.remove_all
  hosts      = local.hypervisors
  argv       = ["ovn-appctl", "-t", "ovn-controller", "exit"]
  only_if    = ["sh", "-c", file("files/last-user.sh"), "last-user", cluster.name]
  depends_on = [task.libvirt_sweep.owned, task.podman_sweep.owned]
}

task "ovs_sweep" "owned" {
  stage      = "cleanup"
  hosts      = local.hypervisors
  all        = local.remove_all
  keep       = ["br-int", "br-ex", local.management_device, local.services_device]
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

output "leftovers" {
  value = !local.remove_all ? null : sum(concat(
    [for h in local.hypervisors : task.libvirt_sweep.owned[h].count],
    [for h in local.hypervisors : task.podman_sweep.owned[h].count],
    [task.ovn_sweep.owned.count],
    [for h in local.hypervisors : task.ovs_sweep.owned[h].count],
    [for h in local.hypervisors : try(coalesce(task.sweep.owned[h].count, 0), 0)],
  ))
}
