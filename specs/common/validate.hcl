# validate: every problem at once, before anything is built.

check "hypervisors" {
  assert {
    condition     = alltrue([for h in local.hypervisors : task.facts.hypervisor[h].os_id == "debian" || task.facts.hypervisor[h].os_id == "ubuntu"])
    error_message = "kinit prepares Debian and Ubuntu hypervisors; the facts say: ${jsonencode({ for h in local.hypervisors : h => task.facts.hypervisor[h].os_id })}."
  }
  assert {
    condition     = var.virt_type != "kvm" || alltrue([for h in local.hypervisors : task.facts.hypervisor[h].kvm])
    error_message = "virt_type is \"kvm\" and no /dev/kvm on: ${join(", ", [for h in local.hypervisors : h if !task.facts.hypervisor[h].kvm])}. Enable virtualisation there, or set virt_type = \"qemu\" to emulate in software."
  }
}
