# A pipe, and several lines that need bash.
stage "database" {}

task "shell" "schema" {
  stage    = "database"
  hosts    = run.hosts
  commands = "zcat /usr/share/app/schema.sql.gz | sqlite3 /var/lib/app/app.db"
  creates  = "/var/lib/app/app.db"
}

task "shell" "index" {
  stage      = "database"
  hosts      = run.hosts
  executable = "bash"
  unless     = "sqlite3 /var/lib/app/app.db .indexes | grep -qw by_name"
  commands   = <<-EOT
    set -euo pipefail
    systemctl stop app
    trap 'systemctl start app' EXIT
    sqlite3 /var/lib/app/app.db 'CREATE INDEX by_name ON people(name)'
  EOT
  depends_on = [task.shell.schema]
}
