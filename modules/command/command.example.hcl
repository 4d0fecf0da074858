# Fill a database once, and read its version in every run.
stage "database" {}

task "command" "fill" {
  stage   = "database"
  hosts   = run.hosts
  argv    = ["sqlite3", "/var/lib/app/app.db", ".read /usr/share/app/schema.sql"]
  creates = "/var/lib/app/app.db"
}

task "command" "version" {
  stage      = "database"
  hosts      = run.hosts
  argv       = ["sqlite3", "/var/lib/app/app.db", "PRAGMA user_version"]
  read_only  = true
  depends_on = [task.command.fill]
}

output "versions" {
  value = { for name, read in task.command.version : name => trimspace(read.stdout) }
}
