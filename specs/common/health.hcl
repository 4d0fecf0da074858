# health: what "kinit status" and "kinit certs" show of a cluster beside what is not as the spec says.
# The tasks exist only for commands that look, and change nothing. What cannot be read is null.

task "command" "services_health" {
  hosts = run.inspect ? local.services_hosts : []
  argv = [
    "podman", "ps", "--all", "--filter",
    "name=^kinit-${cluster.name}-(${join("|", keys(local.service_containers))})$", "--format",
    "{{.Names}}\t{{.Status}}\t{{.Image}}",
  ]
  read_only = true
}

# The certificates that kinit makes, those of the overlay's chassis among them. Each run renews those
# that are in the last third of their life.
task "x509_facts" "hypervisor" {
  hosts = run.inspect ? local.overlay_hosts : []
  paths = ["${local.cluster_folder}/pki/*.crt", "${local.service_root}/haproxy/*.crt", "${local.overlay_pki}/*.crt"]
}

output "health_services" {
  description = "The services of the cluster, as podman sees them."
  value = !run.inspect ? null : { for host, look in task.command.services_health : host => [
    for line in compact(split("\n", look.stdout)) : split("\t", line)
  ] if look.stdout != null }
}

output "health_databases" {
  description = fold(<<-EOT
    The members of OVN's databases, as each hypervisor sees them; null where the databases are on one hypervisor
    alone.
    EOT
  )
  value = !run.inspect || !local.clustered ? null : {
    for host, look in task.command.databases :
    host => jsondecode(look.stdout) if look.stdout != null
  }
}

output "health_certificates" {
  description = "The certificates that kinit has made on hypervisors, and on machines that are on the overlay."
  value = !run.inspect ? null : {
    for host, look in task.x509_facts.hypervisor :
    host => look.certificates if look.certificates != null
  }
}

output "health_places" {
  description = "Where the cluster's nodes and services are declared to be."
  value = !run.inspect ? null : {
    cluster     = cluster.name
    hypervisors = local.hypervisors
    services    = local.services_hosts
    containers  = { for name in keys(local.service_containers) : name => "kinit-${cluster.name}-${name}" }
    nodes = [
      for name, node in cluster.nodes :
      { name = name, pool = node.pool, hypervisor = node.hypervisor, address = node.ip }
    ]
  }
}
