path            = "/var/lib/libvirt/images/k8s-controller-01.iso"
hostname        = "k8s-controller-01"
fqdn            = "k8s-controller-01.k8s.kinit.local"
instance_id     = "0af7651c"
authorized_keys = ["ssh-ed25519 AAAAC3 me@here"]
allow_root      = true
packages        = ["containerd"]
timezone        = "Europe/Madrid"
runcmd          = [["systemctl", "enable", "--now", "containerd"], ["sh", "-c", "echo \"<&>\" > /tmp/x"]]

host_key {
  private = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LW9mLXRoZS1ob3N0\n-----END OPENSSH PRIVATE KEY-----"
  public  = "ssh-ed25519 AAAAC3 host\n"
}

user {
  name            = "kinit"
  groups          = ["adm", "sudo"]
  shell           = "/bin/bash"
  sudo            = "ALL=(ALL) NOPASSWD:ALL"
  authorized_keys = ["ssh-ed25519 AAAAC3 me@here"]
}

user {
  name            = "console"
  hashed_password = "$6$salt$hash"
}

write_file {
  path        = "/etc/kinit/token"
  content     = "of a file\n\t\"quoted\" £\n"
  permissions = "0600"
  owner       = "root:adm"
}

write_file {
  path    = "/etc/motd"
  content = "hello\n"
}

network {
  mac    = "52:54:00:12:34:56"
  dhcp   = true
  mtu    = 1442
  search = ["k8s.kinit.local"]
}

network {
  mac         = "52:54:00:12:34:57"
  name        = "storage"
  addresses   = ["10.1.0.5/24", "fd00::5/64"]
  gateway     = "10.1.0.254"
  nameservers = ["10.1.0.1"]
}

extra_user_data = {
  growpart       = { mode = "auto", devices = ["/"] }
  packages       = ["ethtool"]
  ssh_keys       = { rsa_public = "ssh-rsa AAAA" }
  package_update = false
  swap           = { size = 0, maxsize = 1073741824 }
}
