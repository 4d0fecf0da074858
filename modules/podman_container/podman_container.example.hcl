# A web server with its pages, recreated when its configuration changes.
stage "containers" {}

task "podman_image" "web" {
  stage  = "containers"
  hosts  = run.hosts
  name   = "localhost/web:1"
  source = "/var/cache/web.tar"
}

task "podman_container" "web" {
  stage       = "containers"
  hosts       = run.hosts
  name        = "web"
  image       = task.podman_image.web[host.name].name
  publish     = ["8080:80"]
  volumes     = ["/srv/pages:/usr/share/nginx/html:ro"]
  restart     = "always"
  config_hash = sha256("worker_processes 2;")
}
