# What a host is, and all that is known of it.
stage "look" {}

task "facts" "host" {
  stage = "look"
  hosts = run.hosts
}

task "debug" "kernel" {
  stage   = "look"
  hosts   = run.hosts
  message = "${host.name} runs Linux ${task.facts.host[host.name].kernel}"
}

task "debug" "all" {
  stage = "look"
  hosts = run.hosts
  value = task.facts.host[host.name]
}
