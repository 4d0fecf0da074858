# The snapshot of a backup, where etcdutl restores it.
variable "backup_passphrase" {
  type      = string
  sensitive = true
  default   = "correct horse battery staple"
}

task "backup_part" "snapshot" {
  file       = "${path.cwd}/cluster.backup"
  part       = "etcd.db"
  sha256     = "66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3"
  passphrase = var.backup_passphrase
  dest       = "/var/lib/restore/etcd.db"
}
