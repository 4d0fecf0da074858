# A configuration in a folder of its own, and a key that only administrators read.
stage "files" {}

task "win_file" "folder" {
  stage = "files"
  hosts = run.hosts
  path  = "C:/etc/app"
  state = "directory"
}

task "win_copy" "configuration" {
  stage      = "files"
  hosts      = run.hosts
  dest       = "C:/etc/app/app.toml"
  content    = "name = \"${host.name}\"\n"
  depends_on = [task.win_file.folder]
}

task "win_copy" "key" {
  stage          = "files"
  hosts          = run.hosts
  dest           = "C:/etc/app/app.key"
  content_secret = "correct horse battery staple"
  depends_on     = [task.win_file.folder]
}
