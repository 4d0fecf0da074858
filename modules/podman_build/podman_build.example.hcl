# An image with one more file than its base.
stage "containers" {}

task "podman_build" "web" {
  stage  = "containers"
  hosts  = run.hosts
  name   = "localhost/web:2"
  from   = "localhost/web:1"
  script = "echo hello >/srv/www/index.html"
}
