# health: the nodes and the control plane, as the API server says.

task "command" "nodes_health" {
  hosts     = run.look ? local.services_hosts : []
  argv      = ["sh", "-c", file("files/health.sh"), "health", local.place]
  read_only = true
}

output "health_nodes" {
  description = "What the API server says of nodes and of the control plane's pods."
  value = !run.look ? null : { for host, look in task.command.nodes_health : host => {
    version = local.kubernetes_base
    lines   = [for line in compact(split("\n", look.stdout)) : split("\t", line)]
  } if look.stdout != null }
}
