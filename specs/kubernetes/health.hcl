# health: the nodes and the control plane, as the API server says.

locals {
  # How many seconds a server has for an answer. One that is away refuses at once; one that is busy takes
  # seconds, and an emulated one longer.
  answer_seconds = local.emulated ? 120 : 30
}

task "command" "nodes_health" {
  hosts     = run.inspect ? local.services_hosts : []
  argv      = ["sh", "-c", file("files/health.sh"), "health", local.place, local.answer_seconds]
  read_only = true
}

output "health_nodes" {
  description = "What the API server says of nodes and of the control plane's pods."
  value = !run.inspect ? null : { for host, look in task.command.nodes_health : host => {
    version = local.kubernetes_base
    lines   = [for line in compact(split("\n", look.stdout)) : split("\t", line)]
  } if look.stdout != null }
}
