# The release that is in use.
stage "files" {}

task "link" "current" {
  stage  = "files"
  hosts  = run.hosts
  path   = "/opt/app/current"
  target = "releases/1.4.2"
}
