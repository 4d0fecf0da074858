# A web server is reached from one network, and packets of containers are forwarded, on hosts with
# an active firewall of any kind.
stage "firewall" {}

task "firewall" "web" {
  stage    = "firewall"
  hosts    = run.hosts
  protocol = "tcp"
  ports    = ["80", "443", "30000-32767"]
  source   = "192.0.2.0/24"
}

task "firewall" "containers" {
  stage     = "firewall"
  hosts     = run.hosts
  direction = "forward"
  source    = "10.88.0.0/16"
  interface = "podman0"
}

# A host without a firewall is a mistake here.
task "firewall" "tunnel" {
  stage     = "firewall"
  hosts     = run.hosts
  protocol  = "udp"
  ports     = ["6081"]
  interface = task.facts.host[host.name].default_interface
  required  = true
}

task "facts" "host" {
  stage = "firewall"
  hosts = run.hosts
}
