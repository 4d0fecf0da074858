# node-problem-detector: conditions and events of nodes that say what their kernels complain about,
# such as tasks that hang, or file systems that have become read-only.
#
# Offers:
#   local.addon_node_problem_detector  what the addon node-problem-detector consists of
#
# Needs:
#   local.addon_labels   labels of an addon's objects, by addon
#   local.first_node     the controller that the others join
#   local.kubectl        kubectl as an administrator, on controllers
#   local.linux_nodes    nodes that run Linux
#   local.tagged         images with their tags
#   var.addons           the addons that a user chose
#   var.cluster_timeout  how long Kubernetes may take
#   task.wait.addon      waits for an addon's workloads

locals {
  addon_node_problem_detector = {
    namespace = "kube-system"
    workloads = ["daemonset/node-problem-detector"]
    pins      = ["node_problem_detector"]
    content = templatefile("files/node-problem-detector.yaml", {
      labels = local.addon_labels.node-problem-detector
      image  = local.tagged.node_problem_detector
    })
  }
}

# Every node says that its kernel is well, which only the detector makes it say.
task "wait" "node_problem_detector" {
  stage = "verify"
  when  = contains(var.addons, "node-problem-detector")
  host  = local.first_node
  argv = concat(
    local.kubectl,
    ["wait", "--for=condition=KernelDeadlock=False", "--timeout=25s"],
    [for name in keys(local.linux_nodes) : "node/${name}"],
  )
  within = var.cluster_timeout
  evidence = [concat(local.kubectl, [
    "--namespace", "kube-system", "logs", "daemonset/node-problem-detector", "--tail", "20",
  ])]
  depends_on = [task.wait.addon]
}
