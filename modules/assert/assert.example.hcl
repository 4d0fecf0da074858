# Stop before anything is changed when a host is too small.
stage "check" {}

task "facts" "host" {
  stage = "check"
  hosts = run.hosts
}

task "assert" "size" {
  stage = "check"
  hosts = run.hosts

  condition {
    holds   = task.facts.host[host.name].cpus >= 2
    message = "${host.name} has fewer than 2 processors: choose a larger host"
  }
  condition {
    holds   = task.facts.host[host.name].memory_bytes >= 2 * 1024 * 1024 * 1024
    message = "${host.name} has less than 2 GiB of memory: choose a larger host"
  }
}
