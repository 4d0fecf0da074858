# A script that stands beside the playbook, run where it has not run yet.
stage "setup" {}

task "script" "partition" {
  stage   = "setup"
  hosts   = run.hosts
  source  = "scripts/partition.sh"
  args    = ["/dev/vdb", "data"]
  creates = "/dev/disk/by-partlabel/data"
}

task "script" "import" {
  stage       = "setup"
  hosts       = run.hosts
  source      = "scripts/import.py"
  interpreter = ["python3", "-u"]
  env         = { TARGET = host.name }
  unless      = ["test", "-s", "/var/lib/app/imported"]
  expect      = "records imported"
}
