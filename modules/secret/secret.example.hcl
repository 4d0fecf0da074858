# A password that is made once, and a configuration with it.
stage "secrets" {}

task "secret" "database" {
  stage  = "secrets"
  hosts  = run.hosts
  path   = "/etc/app/database.password"
  length = 32
}

task "copy" "config" {
  stage          = "secrets"
  hosts          = run.hosts
  dest           = "/etc/app/database.conf"
  content_secret = "password = ${task.secret.database[host.name].value}\n"
}
