# The kernel's command line gets a parameter, unless it is there, and a port changes within one
# part of a file.
stage "settings" {}

task "replace" "cgroups" {
  stage       = "settings"
  hosts       = run.hosts
  path        = "/boot/firmware/cmdline.txt"
  match       = "^(\\w(?!.*\\bcgroup_enable=memory\\b).*)$"
  replacement = "$1 cgroup_enable=memory"
  backup      = true
}

task "replace" "port" {
  stage       = "settings"
  hosts       = run.hosts
  path        = "/etc/app.conf"
  match       = "^(\\s*port )\\d+$"
  replacement = "$${1}8443"
  after       = "^server \\{"
  before      = "^\\}"
  backup      = true
}
