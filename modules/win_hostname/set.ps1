# Renames the host from its next start on.
$system = Get-CimInstance -ClassName Win32_ComputerSystem
$result = Invoke-CimMethod -InputObject $system -MethodName Rename -Arguments @{ Name = $Arguments.name }
if ($result.ReturnValue -ne 0) {
    throw ('Win32_ComputerSystem.Rename returned {0}' -f $result.ReturnValue)
}
