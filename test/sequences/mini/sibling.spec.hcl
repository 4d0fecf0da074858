import {
  source = "./mini"
}

cluster "shop" {
  driver = "tree"

  network {
    cidr = var.cidr
  }

  pool "web" { count = 2 }
  pool "db" { count = 1 }
}
