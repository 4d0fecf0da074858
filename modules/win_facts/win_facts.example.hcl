# Which build of Windows the hosts run.
stage "look" {}

task "win_facts" "host" {
  stage = "look"
  hosts = run.hosts
}

output "builds" {
  value = { for name, facts in task.win_facts.host : name => "${facts.version}.${facts.revision}" }
}
