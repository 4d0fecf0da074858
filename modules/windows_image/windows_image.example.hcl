# A sealed image of Windows Server, made once of an evaluation medium.
stage "images" {}

block "image" {
  stage = "images"
  host  = run.hosts[0]

  task "download" "windows" {
    url        = "file:///srv/iso/windows-server-2022.iso"
    dest       = "/var/lib/libvirt/images/windows-server-2022.iso"
    unverified = true
  }

  task "download" "drivers" {
    url    = "https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/archive-virtio/virtio-win-0.1.285-1/virtio-win-0.1.285.iso"
    dest   = "/var/lib/libvirt/images/virtio-win.iso"
    sha256 = "e14cf2b94492c3e925f0070ba7fdfedeb2048c91eea9c5a5afb30232a3976331"
  }

  task "windows_image" "server" {
    path      = "/var/lib/libvirt/images/windows-server-2022.qcow2"
    installer = task.download.windows.path
    drivers   = task.download.drivers.path
    edition   = "2k22"
    keep      = true
  }
}
