task "cron" "report" {
  hosts    = run.hosts
  name     = "report"
  schedule = "30 6 * * mon-fri"
  job      = "/usr/local/bin/report --day \"$(date +%F)\""
  user     = "www-data"
  env      = { MAILTO = "ops@example" }
}

task "cron" "cleanup" {
  hosts    = run.hosts
  name     = "cleanup"
  schedule = "@daily"
  job      = "find /var/tmp/uploads -mtime +7 -delete"
  crontab  = true
}
