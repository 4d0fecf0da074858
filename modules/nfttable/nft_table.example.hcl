# Only SSH and the web from outside.
stage "firewall" {}

task "nft_table" "filter" {
  stage   = "firewall"
  hosts   = run.hosts
  name    = "outside"
  content = <<-EOT
    chain input {
      type filter hook input priority 0; policy accept;
      iifname "eth0" ct state established,related accept
      iifname "eth0" tcp dport { 22, 80, 443 } accept
      iifname "eth0" drop
    }
  EOT
}
