# A report on working days, and old uploads that go.
stage "jobs" {}

task "cron" "report" {
  stage    = "jobs"
  hosts    = run.hosts
  name     = "report"
  schedule = "30 6 * * mon-fri"
  job      = "/usr/local/bin/report --day \"$(date +%F)\""
  user     = "www-data"
  env      = { MAILTO = "ops@example" }
}

task "cron" "cleanup" {
  stage    = "jobs"
  hosts    = run.hosts
  name     = "cleanup"
  schedule = "@daily"
  job      = "find /var/tmp/uploads -mtime +7 -delete"
  crontab  = true
}
