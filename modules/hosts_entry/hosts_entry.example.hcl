# A name that resolves without DNS.
stage "names" {}

task "hosts_entry" "db" {
  stage   = "names"
  hosts   = run.hosts
  address = "192.0.2.21"
  names   = ["db1.example", "db1"]
}
