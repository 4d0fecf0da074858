# A backup every night, and a sign of life.
stage "jobs" {}

task "timer" "backup" {
  stage        = "jobs"
  hosts        = run.hosts
  name         = "backup"
  description  = "Nightly backup"
  command      = ["/usr/local/bin/backup", "--to", "/srv/backup"]
  user         = "backup"
  on_calendar  = ["*-*-* 02:30"]
  random_delay = "10min"
}

task "timer" "heartbeat" {
  stage   = "jobs"
  hosts   = run.hosts
  name    = "heartbeat"
  command = ["/usr/bin/curl", "-fsS", "https://status.example/ping"]
  on_boot = "1min"
  every   = "5min"
}
