# Says "member" where the machine is in the cluster, and "networks" where Windows has the
# service that has networks of containers, too.
if ([IO.File]::Exists("$($Arguments.folder)\record.json")) {
    'member'
    if (Find-Existing { Get-Service -Name hns }) {
        'networks'
    }
}
