# SSH for administrators and the web for all; the rest of what comes in is dropped.
stage "firewall" {}

task "nft_table" "filter" {
  stage   = "firewall"
  hosts   = run.hosts
  name    = "host_firewall"
  content = <<-EOT
    set admins {
      type ipv4_addr; flags interval
      elements = { 192.0.2.0/24 }
    }
    chain input {
      type filter hook input priority filter; policy drop;
      ct state established,related accept
      iifname "lo" accept
      ip saddr @admins tcp dport 22 accept
      tcp dport { 80, 443 } accept
    }
  EOT
}
