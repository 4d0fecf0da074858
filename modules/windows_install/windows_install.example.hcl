# A guest on top of a sealed Windows image, until it can be reached.
stage "guests" {}

block "guest" {
  stage = "guests"
  host  = run.hosts[0]

  task "libvirt_volume" "guest" {
    name    = "win-01"
    backing = "/var/lib/libvirt/images/windows-server-2022.qcow2"
    size    = "60GiB"
  }

  task "libvirt_domain" "guest" {
    name     = "win-01"
    os_type  = "windows"
    firmware = "uefi"
    vcpus    = 4
    memory   = "8GiB"
    disk     = task.libvirt_volume.guest.path
    cdroms   = ["/var/lib/libvirt/images/win-01-seed.iso"]
    vnc      = true

    nic {
      bridge = "br0"
      mac    = "52:54:00:12:34:57"
    }
  }

  task "windows_install" "guest" {
    domain     = task.libvirt_domain.guest.name
    disk       = task.libvirt_volume.guest.path
    address    = "192.0.2.57"
    within     = "45m"
    eject      = ["/var/lib/libvirt/images/win-01-seed.iso"]
    depends_on = [task.libvirt_domain.guest]
  }
}
