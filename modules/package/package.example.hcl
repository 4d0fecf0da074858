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
