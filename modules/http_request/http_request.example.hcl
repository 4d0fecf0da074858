# Look at a service, and make something in it by its interface, once.
variable "token" {
  type      = string
  default   = "change-me"
  sensitive = true
}

stage "service" {}

task "http_request" "health" {
  stage  = "service"
  hosts  = run.hosts
  url    = "http://127.0.0.1:3000/api/health"
  expect = "\"database\": *\"ok\""

  retry {
    attempts = 10
    delay    = "3s"
  }
}

task "http_request" "team" {
  stage  = "service"
  hosts  = run.hosts
  url    = "http://127.0.0.1:3000/api/teams"
  method = "POST"
  token  = var.token
  json   = { name = "operators" }
  status = [200, 201]

  unless {
    url    = "http://127.0.0.1:3000/api/teams/search?name=operators"
    expect = "\"totalCount\": *1"
  }
  depends_on = [task.http_request.health]
}
