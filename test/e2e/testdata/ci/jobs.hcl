# The job that the tests kill.
title = "killed jobs"

job "little" {
  spec  = "little.hcl"
  hosts = ["nyctea", "tyto"]
}
