permit_root_login         = "prohibit-password"
revoked_keys              = []
trusted_user_ca_keys_file = "/etc/ssh/authorities"
trusted_user_ca_keys      = ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg authority"]
authorized_principals     = [{ path = "/etc/ssh/auth_principals/root", principals = ["root", "admins"] }]
matches                   = [{ criteria = "User backup", rules = ["ForceCommand /usr/bin/true"] }]
