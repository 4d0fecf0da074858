# The rack that /etc/kinit/facts.d/site.fact of each host names, as in {"rack": 7}.
stage "look" {}

task "local_facts" "host" {
  stage = "look"
  hosts = run.hosts
}

task "copy" "rack" {
  stage   = "look"
  hosts   = run.hosts
  dest    = "/etc/app/rack"
  content = "${try(task.local_facts.host[host.name].values.site.rack, "unknown")}\n"
}
