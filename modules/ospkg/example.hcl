task "package" "tools" {
  hosts = run.hosts
  names = ["curl", "jq"]
}

task "package" "database" {
  hosts = run.hosts
  names = ["postgresql=15+248+deb12u1"]
  held  = true
}
