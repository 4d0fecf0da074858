# A file from a text, and one that is checked before it replaces the old one.
stage "files" {}

task "copy" "motd" {
  stage   = "files"
  hosts   = run.hosts
  dest    = "/etc/motd"
  content = "Welcome to ${host.name}.\n"
  mode    = "0644"
  backup  = true
}

task "copy" "sudoers" {
  stage    = "files"
  hosts    = run.hosts
  dest     = "/etc/sudoers.d/admins"
  content  = "%admins ALL=(ALL) ALL\n"
  mode     = "0440"
  validate = ["visudo", "-cf", "%s"]
}
