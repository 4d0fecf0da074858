# A pod on the overlay.
stage "network" {}

task "podman_pod" "services" {
  stage = "network"
  host  = run.hosts[0]
  name  = "services"
}

task "ovs_veth" "services" {
  stage     = "network"
  host      = run.hosts[0]
  name      = "services0"
  peer      = "overlay"
  netns     = task.podman_pod.services.netns
  bridge    = "br-int"
  iface_id  = "services"
  mac       = "52:54:00:00:00:fd"
  mtu       = 1442
  addresses = ["10.0.0.253/24"]
}
