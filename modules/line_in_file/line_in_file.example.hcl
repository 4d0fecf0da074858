# Settings in files that belong to others.
stage "login" {}

task "line_in_file" "no_passwords" {
  stage    = "login"
  hosts    = run.hosts
  path     = "/etc/ssh/sshd_config"
  match    = "^#?PasswordAuthentication "
  line     = "PasswordAuthentication no"
  validate = ["sshd", "-t", "-f", "%s"]
  backup   = true
}

task "line_in_file" "no_old_mirror" {
  stage = "login"
  hosts = run.hosts
  path  = "/etc/hosts"
  match = "\\smirror\\.old\\.example\\.org$"
  state = "absent"
}
