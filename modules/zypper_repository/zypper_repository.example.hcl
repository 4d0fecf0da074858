# A repository of openSUSE's build service.
stage "repositories" {}

task "zypper_repository" "nginx" {
  stage       = "repositories"
  hosts       = run.hosts
  name        = "nginx"
  description = "Web servers"
  url         = "https://nginx.org/packages/sles/$releasever_major"
  gpgcheck    = false
}
