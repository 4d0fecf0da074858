# A long program goes on while the playbook does other work, also if the connection is lost. The
# last task collects what it has printed.

task "command" "index" {
  hosts = run.hosts
  argv  = ["/usr/local/bin/build-index", "--all"]
  async = "2h"
  poll  = "0s"
}

task "package" "tools" {
  hosts = run.hosts
  names = ["curl"]
}

task "job_wait" "index" {
  hosts  = run.hosts
  job    = task.command.index[host.name].job
  within = "2h"
}
