# metrics-server: what nodes and pods use, for "kubectl top" and for autoscaling.
#
# Offers:
#   local.addon_metrics_server  what the addon metrics-server consists of
#
# Needs:
#   local.addon_labels      labels of an addon's objects, by addon
#   local.first_node        the controller that the others join
#   local.kubectl           kubectl as an administrator, on controllers
#   local.kubernetes_minor  the minor version of Kubernetes 1
#   local.linux_nodes       nodes that run Linux
#   local.tagged            images with their tags
#   var.addons              the addons that a user chose
#   var.cluster_timeout     how long Kubernetes may take
#   task.wait.addon         waits for an addon's workloads

locals {
  # The releases of metrics-server go with those of Kubernetes.
  metrics_pin = local.kubernetes_minor >= 34 ? "metrics_server" : "metrics_server_before_34"
  addon_metrics_server = {
    namespace = "kube-system"
    workloads = ["deployment/metrics-server"]
    pins      = [local.metrics_pin]
    content = templatefile("files/metrics-server.yaml", {
      labels = local.addon_labels.metrics-server
      image  = local.tagged[local.metrics_pin]
    })
  }

  # What "kubectl top" says of the nodes, in the order of their names. Nodes with Windows say it too,
  # but a simulated one does not.
  measured_node  = " +[0-9]+m +[0-9]+% +[0-9]+Mi"
  measured_nodes = "(?s)${join(".*", [for name in sort(keys(local.linux_nodes)) : "${name}${local.measured_node}"])}"
}

task "wait" "metrics" {
  stage  = "verify"
  when   = contains(var.addons, "metrics-server")
  host   = local.first_node
  argv   = concat(local.kubectl, ["top", "nodes", "--no-headers"])
  expect = local.measured_nodes
  within = var.cluster_timeout
  evidence = [concat(local.kubectl, [
    "--namespace", "kube-system", "logs", "deployment/metrics-server", "--tail", "20",
  ])]
  depends_on = [task.wait.addon]
}
