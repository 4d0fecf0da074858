# An image from an archive on the host.
stage "containers" {}

task "podman_image" "web" {
  stage  = "containers"
  hosts  = run.hosts
  name   = "localhost/web:1"
  source = "/var/cache/web.tar"
}
