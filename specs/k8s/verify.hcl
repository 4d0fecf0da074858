# verify: nodes are Ready, pods resolve names and reach each other across nodes, the
# load balancer leads in, the registry takes and gives.

locals {
  kubectl = ["kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf"]
}

locals {
  # What is collected when the cluster does not become what it should be.
  evidence = [
    concat(local.kubectl, ["get", "nodes", "--output", "wide"]),
    concat(local.kubectl, ["get", "pods", "--all-namespaces", "--output", "wide"]),
    concat(local.kubectl, ["get", "events", "--all-namespaces", "--sort-by=.lastTimestamp"]),
    ["journalctl", "--unit", "kubelet", "--lines", "40", "--no-pager", "--output", "cat"],
  ]
}

task "wait" "ready" {
  stage    = "verify"
  for_each = cluster.nodes
  host     = local.first_node
  argv     = concat(local.kubectl, ["get", "node", each.key, "--output", "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}"])
  expect   = "True"
  within   = var.cluster_timeout
  evidence = concat([concat(local.kubectl, ["describe", "node", each.key])], local.evidence)
}

task "kubectl_apply" "sample" {
  stage      = "verify"
  host       = local.first_node
  kubeconfig = "/etc/kubernetes/admin.conf"
  content    = templatefile("files/sample.yaml", { image = var.sample_image, node_port = var.ingress_node_ports["80"] })
}

task "wait" "sample" {
  stage      = "verify"
  host       = local.first_node
  argv       = concat(local.kubectl, ["--namespace", "kinit-sample", "rollout", "status", "daemonset/sample", "--timeout", "50s"])
  within     = var.cluster_timeout
  evidence   = concat([concat(local.kubectl, ["--namespace", "kinit-sample", "describe", "pods"])], local.evidence)
  depends_on = [task.kubectl_apply.sample, task.wait.ready]
}

task "wait" "names" {
  stage      = "verify"
  host       = local.first_node
  argv       = concat(local.kubectl, ["--namespace", "kinit-sample", "exec", "daemonset/sample", "--", "nslookup", "kubernetes.default.svc.cluster.local"])
  expect     = "Address"
  within     = "5m"
  evidence   = concat([concat(local.kubectl, ["--namespace", "kube-system", "logs", "--selector", "k8s-app=kube-dns", "--tail", "20"])], local.evidence)
  depends_on = [task.wait.sample]
}

# Every pod of the sample fetches from every pod, so that traffic crosses the nodes.
task "wait" "traffic" {
  stage      = "verify"
  host       = local.first_node
  argv       = ["sh", "-euc", file("files/pods.sh")]
  expect     = "all pods reach each other"
  within     = "5m"
  evidence   = concat([concat(local.kubectl, ["--namespace", "kube-flannel", "logs", "--selector", "app=flannel", "--tail", "20"])], local.evidence)
  depends_on = [task.wait.sample]
}

# From outside: through the port that the hypervisor publishes.
task "wait" "ingress" {
  stage      = "verify"
  url        = "http://${task.facts.underlay[local.services.hypervisor].route_address}:${[for outside, inside in var.published_ports : outside if inside == 80][0]}/"
  expect     = "hello from"
  within     = "3m"
  depends_on = [task.wait.sample]
}

# The registry takes what is pushed and gives it back.
task "command" "registry" {
  stage     = "verify"
  host      = local.services.hypervisor
  argv      = ["sh", "-euc", file("files/registry.sh"), "verify", "${local.services.ip}:5000", "${local.root}/registry-client"]
  read_only = true
}

# What each node says of itself, so that a simulated one is not taken for a real one.
task "command" "systems" {
  stage      = "verify"
  host       = local.first_node
  argv       = concat(local.kubectl, ["get", "nodes", "--output", "jsonpath={range .items[*]}{.metadata.name}: {.status.nodeInfo.osImage}{\"\\n\"}{end}"])
  read_only  = true
  depends_on = [task.wait.ready]
}

output "systems" {
  value = trimspace(task.command.systems.stdout)
}

output "nodes" {
  value = join(" ", [for n in values(cluster.nodes) : "${n.name}=${task.wait.ready[n.name].elapsed >= 0 ? "Ready" : ""}"])
}
