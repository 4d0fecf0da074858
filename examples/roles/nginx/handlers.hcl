handler "service" "restart" {
  name       = "nginx"
  state      = "restarted"
  depends_on = [handler.command.validate]
}

# nginx refuses a broken file at a reload too, but says why only in its log.
handler "command" "validate" {
  argv      = ["nginx", "-t", "-c", local.system.conf_file]
  read_only = true
}

handler "service" "reload" {
  when       = var.service_state == "started"
  name       = "nginx"
  state      = "reloaded"
  depends_on = [handler.command.validate]
}
