# A bridge that packet filters see, and guests in guests.
stage "kernel" {}

task "kernel_module" "bridge" {
  stage = "kernel"
  hosts = run.hosts
  name  = "br_netfilter"
}

task "kernel_module" "kvm" {
  stage   = "kernel"
  hosts   = run.hosts
  name    = "kvm_intel"
  options = ["nested=1"]
}
