# A folder for logs, one for keys that only administrators may use, and a file that
# must not be there.
stage "files" {}

task "win_file" "logs" {
  stage = "files"
  hosts = run.hosts
  path  = "C:/var/log/app"
}

task "win_file" "keys" {
  stage   = "files"
  hosts   = run.hosts
  path    = "C:/ProgramData/app/keys"
  owner   = "S-1-5-32-544"
  private = true
}

task "win_file" "answers" {
  stage = "files"
  hosts = run.hosts
  path  = "C:/Windows/Panther/unattend.xml"
  state = "absent"
}
