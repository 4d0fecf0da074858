# What each host is.
stage "look" {}

task "facts" "host" {
  stage = "look"
  hosts = run.hosts
}

output "systems" {
  value = { for name, f in task.facts.host : name => "${f.os_id} ${f.os_version} on ${f.cpus} processors" }
}
