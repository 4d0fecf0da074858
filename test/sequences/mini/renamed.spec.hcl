import {
  source = "./mini"
}

cluster "store" {
  driver = "file"

  network {
    cidr = var.cidr
  }

  pool "web" { count = 2 }
  pool "db" { count = 1 }
}
