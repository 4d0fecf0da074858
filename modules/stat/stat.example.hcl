# Work that depends on what is there: a release is only unpacked if the version that runs is
# another one.
stage "look" {}

task "stat" "unit" {
  stage  = "look"
  hosts  = run.hosts
  path   = "/etc/systemd/system/app.service"
  follow = true
}

task "service" "stop_old" {
  stage = "look"
  hosts = run.hosts
  when  = task.stat.unit[host.name].exists
  name  = "app"
  state = "stopped"
}
