# All that etcd knows, in a file on a controller, before something risky is done.
stage "before" {}

task "etcd_snapshot" "before" {
  stage = "before"
  host  = run.hosts[0]
  path  = "/var/lib/kinit/etcd/before.db"
}
