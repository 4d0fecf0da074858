# A configuration that depends on the host.
stage "web" {}

task "template" "site" {
  stage    = "web"
  hosts    = run.hosts
  dest     = "/etc/nginx/conf.d/site.conf"
  template = <<-EOT
    server {
      server_name $${name};
    %%{ for port in ports ~}
      listen $${port};
    %%{ endfor ~}
    }
  EOT
  vars = {
    name  = host.name
    ports = [80, 8080]
  }
}
