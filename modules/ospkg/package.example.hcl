# Packages of the distribution, one of them in a version.
stage "packages" {}

task "package" "web" {
  stage   = "packages"
  hosts   = run.hosts
  names   = ["nginx", "curl=7.88.1-10+deb12u8"]
  timeout = "15m"
}

task "package" "old" {
  stage = "packages"
  hosts = run.hosts
  names = ["apache2"]
  state = "absent"
}
