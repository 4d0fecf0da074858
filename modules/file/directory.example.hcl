# A folder with its parents.
stage "files" {}

task "directory" "data" {
  stage = "files"
  hosts = run.hosts
  path  = "/srv/app/data"
  mode  = "0750"
  group = "www-data"
}
