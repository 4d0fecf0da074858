# A copy of a site's pages before they are replaced.
stage "backup" {}

task "archive" "pages" {
  stage   = "backup"
  hosts   = run.hosts
  source  = "/var/www/html"
  dest    = "/var/backups/html.tar.gz"
  exclude = ["*.tmp", "cache"]
  mode    = "0600"
}

output "sizes" {
  value = { for name, made in task.archive.pages : name => made.size }
}
