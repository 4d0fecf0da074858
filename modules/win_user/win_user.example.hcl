# A user of the administrators whose password is kept by kinit.
stage "users" {}

task "secret" "operator" {
  stage  = "users"
  host   = "localhost"
  path   = "/var/lib/kinit/operator.password"
  length = 24
}

task "win_user" "operator" {
  stage                  = "users"
  hosts                  = run.hosts
  name                   = "operator"
  password               = task.secret.operator.value
  groups                 = ["S-1-5-32-544"]
  password_never_expires = true
}
