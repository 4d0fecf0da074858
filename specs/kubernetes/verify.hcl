# verify: nodes are Ready, pods resolve names and reach each other across nodes, the
# load balancer leads in, the registry takes and gives.

locals {
  kubectl = ["kubectl", "--kubeconfig", local.admin_conf]
}

locals {
  # What is collected when the cluster does not become what it should be.
  evidence = [
    concat(local.kubectl, ["get", "nodes", "--output", "wide"]),
    concat(local.kubectl, ["get", "pods", "--all-namespaces", "--output", "wide"]),
    concat(local.kubectl, ["get", "events", "--all-namespaces", "--sort-by=.lastTimestamp"]),
    ["journalctl", "--unit", local.kubelet_unit, "--lines", "40", "--no-pager", "--output", "cat"],
  ]
}

block "verify" {
  stage = "verify"
  host  = local.first_node

  # One client watches all nodes, however many: each start of kubectl costs the API server
  # and the node it runs on.
  task "wait" "ready" {
    argv = concat(
      local.kubectl,
      ["wait", "--for=condition=Ready", "--timeout=25s"],
      [for name in keys(cluster.nodes) : "node/${name}"],
    )
    within   = var.cluster_timeout
    evidence = concat([concat(local.kubectl, ["describe", "nodes"])], local.evidence)
  }

  task "kubectl_apply" "sample" {
    kubeconfig = local.admin_conf
    content    = local.sample
    # Nodes that are on their way to Ready have enough to do.
    depends_on = [task.wait.ready, task.command.settings, task.command.addons]
  }

  task "wait" "sample" {
    argv = concat(local.kubectl, [
      "--namespace", "kinit-sample", "rollout", "status", "daemonset/sample", "--timeout", "25s",
    ])
    within     = var.cluster_timeout
    evidence   = concat([concat(local.kubectl, ["--namespace", "kinit-sample", "describe", "pods"])], local.evidence)
    depends_on = [task.kubectl_apply.sample]
  }

  # The API server's way to the nodes, which logs and exec take.
  task "wait" "logs" {
    argv = concat(local.kubectl, [
      "--namespace", "kinit-sample", "logs", "daemonset/sample", "--limit-bytes", "256",
    ])
    expect     = "hello from"
    within     = "5m"
    depends_on = [task.wait.sample]
  }

  # What each node says of itself, so that a simulated one is not taken for a real one.
  task "command" "systems" {
    argv = concat(local.kubectl, [
      "get",
      "nodes",
      "--output",
      "jsonpath={range .items[*]}{.metadata.name}: {.status.nodeInfo.osImage}{\"\\n\"}{end}",
    ])
    read_only  = true
    depends_on = [task.wait.ready]
  }
}

# From outside: through the port that the hypervisor publishes. It is the nodes that take
# their time, not the machine that asks.
locals {
  web_port = [for outside, inside in var.published_ports : outside if inside == 80][0]
}

task "wait" "ingress" {
  stage      = "verify"
  url        = "http://${task.facts.underlay[local.services.hypervisor].route_address}:${local.web_port}/"
  expect     = "hello from"
  within     = stretch("3m", task.facts.node[local.first_node].pace)
  depends_on = [task.wait.sample, task.wait.addon]
}

# The pods check each other: every one looks up names and fetches from every one, so
# that traffic crosses the nodes.
task "wait" "traffic" {
  stage      = "verify"
  url        = "http://${task.facts.underlay[local.services.hypervisor].route_address}:${local.web_port}/cgi-bin/all"
  expect     = "all ${length(local.linux_nodes)} pods reach each other"
  within     = stretch("5m", task.facts.node[local.first_node].pace)
  depends_on = [task.wait.ingress]
}

# The other hypervisors of the services lead in as well.
task "wait" "ingress_others" {
  stage      = "verify"
  for_each   = toset(local.services_others)
  url        = "http://${task.facts.underlay[each.key].route_address}:${local.web_port}/"
  expect     = "hello from"
  within     = stretch("3m", task.facts.node[local.first_node].pace)
  depends_on = [task.wait.ingress]
}

# The registry takes what is pushed and gives it back.
task "command" "registry" {
  stage = "verify"
  hosts = local.services_hosts
  argv = [
    "sh", "-euc", file("files/registry.sh"), "verify", local.registry_local,
    "${local.cluster_folder}/registry-client",
  ]
  read_only = true
}

output "systems" {
  value = trimspace(task.command.systems.stdout)
}

output "nodes" {
  value = join(" ", [for n in values(cluster.nodes) : "${n.name}=${task.wait.ready.elapsed >= 0 ? "Ready" : ""}"])
}
