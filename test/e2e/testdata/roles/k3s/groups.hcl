group "server" { hosts = ["one", "two"] }
group "agent" { hosts = ["three"] }
