basic_auth_users     = { scraper = "read-the-metrics" }
web_listen_addresses = ["0.0.0.0:9100", "127.0.0.1:9101"]
disabled_collectors  = ["wifi"]
