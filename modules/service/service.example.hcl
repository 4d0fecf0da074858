# A service of the distribution that follows its configuration, and one of our own.
stage "services" {}

task "copy" "config" {
  stage   = "services"
  hosts   = run.hosts
  dest    = "/etc/nginx/conf.d/site.conf"
  content = "server { listen 8080; }\n"
}

task "service" "nginx" {
  stage      = "services"
  hosts      = run.hosts
  name       = "nginx"
  enabled    = true
  state      = "started"
  restart_on = [task.copy.config[host.name].sha256]
}

task "service" "app" {
  stage   = "services"
  hosts   = run.hosts
  name    = "app"
  enabled = true
  state   = "started"
  unit    = <<-EOT
    [Unit]
    Description=The application

    [Service]
    ExecStart=/opt/app/current/bin/app
    DynamicUser=yes

    [Install]
    WantedBy=multi-user.target
  EOT
}

# Handlers, for configuration that systemd or a service does not read by itself.
task "copy" "journal" {
  stage   = "services"
  hosts   = run.hosts
  dest    = "/etc/systemd/journald.conf.d/size.conf"
  content = "[Journal]\nSystemMaxUse=1G\n"
  notify  = [handler.service.journald]
}

handler "service" "journald" {
  name  = "systemd-journald"
  state = "restarted"
}
