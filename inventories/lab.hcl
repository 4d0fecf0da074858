# Inventory of a lab: hypervisors that are containers of this machine. "kinit lab
# up" fills in what stands in braces and keeps the result where "kinit run" looks.
#
# What differs from real hypervisors is all here: no kernel datapath, KVM only where a guest
# starts with it, little memory, and artifacts that were built on this machine instead of downloaded.
%{ for host in concat(hosts, machines) ~}
%{ if contains(machines, host) ~}
# A machine that exists, for nodes by the driver host.
%{ endif ~}
host "${host.name}" {
  address       = "${host.address}"
  user          = "root"
  identity_file = "${identity}"
  host_keys     = ["${host.host_key}"]
}

%{ endfor ~}
%{ for host in windows ~}
# A machine that exists and runs a SIMULATED Windows Server: no Windows is there.
host "${host.name}" {
  os            = "windows"
  address       = "${host.address}"
  user          = "Administrator"
  identity_file = "${identity}"
  host_keys     = ["${host.host_key}"]
}

%{ endfor ~}
group "${lab}" {
  hosts = ${jsonencode([for host in hosts : host.name])}

  vars = {
    datapath  = "netdev"
    virt_type = "${virt}"

    # What a lab's guests write may be lost with the machine.
    disk_cache = "unsafe"

    controller_memory = "2560MiB"
    controller_disk   = "12GiB"
    compute_memory    = "1536MiB"
    compute_disk      = "12GiB"
    boot_timeout      = "10m"
    cluster_timeout   = "15m"

    # Nothing outside the machine is needed or reached.
    dns_public = []

%{ if guest != "" && stock == null ~}
    guest_image = {
      url    = "file:///srv/kinit/guest.qcow2"
      sha256 = "${guest}"
    }
%{ endif ~}

%{ if stock != null ~}
    # Everything that nodes are made of comes from mirrors in the layouts of the sites that
    # they stand for, with digests of their own.
    image_mirrors  = ${jsonencode(stock.image_mirrors)}
    debian_mirror  = "${stock.debian_mirror}"
    kubernetes_url = "${stock.kubernetes_url}"
    eksd_url       = "${stock.eksd_url}"
    runtime_url    = "${stock.runtime_url}"
%{ if stock.calico_url != "" ~}
    calico_url     = "${stock.calico_url}"
%{ endif ~}
    pins           = ${jsonencode(stock.pins)}

%{ else ~}
%{ if node != "" ~}
    node_image = { name = "${node}", archive = "/srv/kinit/node.tar" }
%{ endif ~}
    guest_packages = []

    service_images = {
      haproxy  = { name = "${services}", archive = "/srv/kinit/services.tar" }
      dns      = { name = "${services}", archive = "/srv/kinit/services.tar" }
      registry = { name = "${services}", archive = "/srv/kinit/services.tar" }
      web      = { name = "${services}", archive = "/srv/kinit/services.tar" }
    }

    kubernetes_preinstalled = true
    kubectl                 = "/srv/kinit/programs/${kubectl}"
    container_images        = ${jsonencode(images)}

    sample_image            = "${sample}"

%{ endif ~}
%{ if winsim != "" ~}
    # What boots as Windows here is a simulator, and says so: a small Linux with one
    # program that plays a Windows Server.
    windows_iso              = { url = "/srv/kinit/winsim.iso", sha256 = "${winsim}" }
    windows_activation       = "online"
    windows_drivers          = { url = "/srv/kinit/winsim-programs/drivers.iso" }
    windows_openssh          = { url = "/srv/kinit/winsim-programs/openssh.msi" }
    windows_image_size       = "32GiB"
    windows_firmware         = "bios"
    windows_least_memory_gib = 2

%{ endif ~}
%{ if length(payloads) > 0 ~}
    # What nodes with a SIMULATED Windows run: texts that stand in for programs.
    windows_boot_timeout = "20m"
    windows_payloads = {
%{ for name, sha256 in payloads ~}
      ${name} = { url = "file:///srv/kinit/winsim-programs/${name}.tar.gz", sha256 = "${sha256}" }
%{ endfor ~}
    }

%{ endif ~}
  }
}
