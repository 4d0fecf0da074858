# A log file that the application may write, and a file that must not be there.
stage "files" {}

task "file" "log" {
  stage = "files"
  hosts = run.hosts
  path  = "/var/log/app.log"
  state = "present"
  mode  = "0640"
  group = "adm"
}

task "file" "nologin" {
  stage = "files"
  hosts = run.hosts
  path  = "/etc/nologin"
  state = "absent"
}
