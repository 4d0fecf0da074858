task "kernel_module" "bridge" {
  hosts = run.hosts
  name  = "br_netfilter"
}

task "kernel_module" "kvm" {
  hosts   = run.hosts
  name    = "kvm_intel"
  options = ["nested=1"]
}
