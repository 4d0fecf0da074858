# Packages of the distribution, one of them in a version that stays.
stage "packages" {}

task "package" "web" {
  stage   = "packages"
  hosts   = run.hosts
  names   = ["nginx", "curl"]
  timeout = "15m"
}

task "package" "database" {
  stage = "packages"
  hosts = run.hosts
  names = ["postgresql=15+248+deb12u1"]
  held  = true
}

task "package" "old" {
  stage = "packages"
  hosts = run.hosts
  names = ["apache2"]
  state = "absent"
}

# A package of another release, and one in a file, with lists that are at most a day old.
task "package" "backports" {
  stage        = "packages"
  hosts        = run.hosts
  names        = ["golang"]
  release      = "bookworm-backports"
  max_list_age = "24h"
}

task "package" "local" {
  stage = "packages"
  hosts = run.hosts
  files = ["/var/cache/app/app_1.4.2_amd64.deb"]
}
