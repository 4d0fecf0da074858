# A rule for each firewall that runs.
stage "look" {}

task "service_facts" "host" {
  stage = "look"
  hosts = run.hosts
}

task "command" "reload" {
  stage = "look"
  hosts = run.hosts
  when  = try(task.service_facts.host[host.name].services["firewalld.service"].active, false)
  argv  = ["firewall-cmd", "--reload"]
}
