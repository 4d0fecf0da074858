# A web server that passes requests on.
task "selinux_boolean" "proxy" {
  hosts = run.hosts
  name  = "httpd_can_network_connect"
}
