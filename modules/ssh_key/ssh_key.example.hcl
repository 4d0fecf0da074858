# A key by which each host logs in elsewhere.
stage "keys" {}

task "ssh_key" "backup" {
  stage   = "keys"
  hosts   = run.hosts
  path    = "/root/.ssh/backup"
  comment = "backup of ${host.name}"
}

output "public_keys" {
  value = { for name, key in task.ssh_key.backup : name => key.public_key }
}
