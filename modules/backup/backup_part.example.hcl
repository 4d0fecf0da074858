# The snapshot of a backup, where etcdutl restores it.
variable "age_key" {
  type      = string
  sensitive = true
  default   = "AGE-SECRET-KEY-1KXY7QWW55XQ53CZ4VQ925FE5QFPCKG8RHC7AYYYVMEJ5ZF0Q65HS42C6E2"
}

task "backup_part" "snapshot" {
  file       = "${path.cwd}/cluster.backup"
  part       = "etcd.db"
  sha256     = "66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3"
  identities = var.age_key
  dest       = "/var/lib/restore/etcd.db"
}
