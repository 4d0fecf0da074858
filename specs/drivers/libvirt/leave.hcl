# leave: guests that leave, and their disks.

locals {
  guests_on       = { for name, node in local.libvirt_nodes : node.hypervisor => name... }
  further_data_on = { for name, volume in local.guest_volumes : volume.host => name... }
  kept_domains    = { for h in local.hypervisors : h => concat(lookup(local.guests_on, h, []), local.windows_builds) }
  kept_volumes = {
    for h in local.hypervisors :
    h => concat(
      local.windows_build_volumes,
      flatten([
        for name in lookup(local.guests_on, h, []) :
        ["${local.image_dir}/${name}.qcow2", "${local.image_dir}/${name}-seed.iso"]
      ]),
      [for name in lookup(local.further_data_on, h, []) : "${local.image_dir}/${name}.qcow2"],
    )
  }

  # The spec no longer says how many further disks a guest that leaves has; no bus takes more.
  most_disks = 32
  # What follows the name of the guest in the names of its volumes.
  volume_ending = "/(-seed\\.iso|-data-[0-9]+\\.qcow2|\\.qcow2)$/"
  leaving_volumes = {
    for h in local.hypervisors :
    h => flatten([
      for name in local.leaving_on[h] :
      concat(
        ["${local.image_dir}/${name}.qcow2", "${local.image_dir}/${name}-seed.iso"],
        [for i in range(1, local.most_disks) : "${local.image_dir}/${name}-data-${i}.qcow2"],
      )
    ])
  }
}

task "libvirt_sweep" "left" {
  stage        = "leave"
  when         = local.leaves
  hosts        = local.hypervisors
  keep         = local.kept_domains[host.name]
  keep_volumes = local.kept_volumes[host.name]
}
