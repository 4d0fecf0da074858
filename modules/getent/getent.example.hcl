# A file in the home folder of a user.
stage "look" {}

variable "admin" {
  type    = string
  default = "root"
}

task "getent" "admin" {
  stage    = "look"
  hosts    = run.hosts
  database = "passwd"
  key      = var.admin
}

task "directory" "kube" {
  stage = "look"
  hosts = run.hosts
  path  = "${task.getent.admin[host.name].users[var.admin].home}/.kube"
  owner = var.admin
  mode  = "0700"
}
