# A service of one's own, and a limit for that of a package.
stage "services" {}

task "systemd_unit" "web" {
  stage    = "services"
  hosts    = run.hosts
  name     = "web"
  enabled  = true
  state    = "started"
  vars     = { port = 8080 }
  template = <<-EOT
    [Unit]
    Description=Web server
    After=network-online.target

    [Service]
    ExecStart=/usr/bin/python3 -m http.server $${port}
    DynamicUser=yes

    [Install]
    WantedBy=multi-user.target
  EOT
}

task "systemd_unit" "ssh_limits" {
  stage   = "services"
  hosts   = run.hosts
  name    = "ssh"
  drop_in = "50-limits"
  content = "[Service]\nLimitNOFILE=65536\n"
}
