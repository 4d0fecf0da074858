# leave: removes what nodes that have left had on their hypervisors.

task "service" "podman_left_late" {
  stage      = "leave"
  when       = local.leaves
  hosts      = [for h in local.podman_empty : h if length(local.leaving_on[h]) > 0]
  name       = "kinit-${cluster.name}-nodes.service"
  state      = "absent"
  depends_on = [task.podman_sweep.left]
}

task "sweep" "podman_left" {
  stage      = "leave"
  when       = local.leaves
  hosts      = local.hypervisors
  kinds      = ["netns"]
  keep       = [for name in local.podman_on[host.name] : "kinit-${name}"]
  depends_on = [task.podman_sweep.left, task.ovs_sweep.left]
}
