task "hosts_entry" "db" {
  hosts   = run.hosts
  address = "192.0.2.21"
  names   = ["db1.example", "db1"]
}
