remove_default_vhost = true
server_tokens        = "off"
extra_http_options   = "map $host $greeting { default hello; }"
upstreams            = [{ name = "app", strategy = "least_conn", keepalive = 4, servers = ["127.0.0.1:8081"] }]
vhosts = [
  {
    server_name          = "shop.example www.shop.example"
    server_name_redirect = "old.example"
    extra_parameters     = "location / { return 200 \"$greeting from $host\\n\"; }"
  },
  { listen = "8081", server_name = "app.example", filename = "app.conf", return = "200 app" },
]
