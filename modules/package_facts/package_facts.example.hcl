# A service is only stopped where its package is installed.
stage "look" {}

task "package_facts" "host" {
  stage = "look"
  hosts = run.hosts
}

task "service" "no_ufw" {
  stage   = "look"
  hosts   = run.hosts
  when    = contains(keys(task.package_facts.host[host.name].versions), "ufw")
  name    = "ufw"
  state   = "stopped"
  enabled = false
}
