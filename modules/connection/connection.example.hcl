# The installer of a machine has been started by other means: the playbook begins when it answers.
# Then a user gets a group, which counts from the next login on.

task "connection" "up" {
  hosts  = run.hosts
  within = "20m"
}

task "user" "self" {
  hosts      = run.hosts
  name       = "deploy"
  groups     = ["docker"]
  depends_on = [task.connection.up]
}

task "connection" "again" {
  hosts      = run.hosts
  reset      = true
  depends_on = [task.user.self]
}

task "command" "containers" {
  hosts      = run.hosts
  argv       = ["docker", "ps"]
  read_only  = true
  depends_on = [task.connection.again]
}
