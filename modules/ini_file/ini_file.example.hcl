# A setting of a package manager, and variables of a unit of systemd.
stage "settings" {}

task "ini_file" "repository" {
  stage     = "settings"
  hosts     = run.hosts
  path      = "/etc/yum.repos.d/docker-ce.repo"
  section   = "docker-ce-edge"
  option    = "enabled"
  value     = "0"
  separator = "="
  backup    = true
}

task "ini_file" "proxy" {
  stage     = "settings"
  hosts     = run.hosts
  path      = "/etc/systemd/system/app.service.d/proxy.conf"
  create    = true
  section   = "Service"
  option    = "Environment"
  values    = ["HTTP_PROXY=http://proxy.example:3128", "NO_PROXY=localhost"]
  separator = "="
}
