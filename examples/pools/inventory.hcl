# Two hypervisors, and a machine that is a node itself.
host "nyctea" {
  address = "192.0.2.11"
  user    = "root"
}

host "tyto" {
  address = "192.0.2.12"
  user    = "root"
}

host "strix" {
  address = "192.0.2.13"
  user    = "root"
}
