# The server of OpenSSH from its package, and an installer that is no MSI package.
stage "node" {}

task "win_package" "openssh" {
  stage     = "node"
  hosts     = run.hosts
  path      = "C:/setup/OpenSSH-Win64-v10.0.0.0.msi"
  sha256    = "ddec9c53864280759cf9f74791cefd387100e3946aa849a1c138a4ed1b96b7d9"
  creates   = "C:/Program Files/OpenSSH/sshd.exe"
  arguments = ["ADDLOCAL=Server"]
}

task "win_package" "agent" {
  stage     = "node"
  hosts     = run.hosts
  url       = "http://10.0.0.1:8080/agent-setup.exe"
  sha256    = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
  product   = "Agent_is1"
  arguments = ["/VERYSILENT", "/NORESTART"]
}
