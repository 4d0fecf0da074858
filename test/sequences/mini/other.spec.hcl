import {
  source = "./mini"
}

cluster "other" {
  driver = "file"

  network {
    cidr = var.cidr
  }

  pool "web" { count = 2 }
  pool "db" { count = 1 }
}
