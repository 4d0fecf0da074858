# Ends with 0 if this Windows is activated. The id is that of Windows among the products that one service licenses; the one in
# use has a key.
$filter = "ApplicationID = '55c92734-d682-4d71-983e-d6ec3f16059f'"
$used = @(Get-CimInstance -ClassName SoftwareLicensingProduct -Filter $filter | Where-Object { $_.PartialProductKey })
if ($used.Count -eq 0 -or @($used | Where-Object { $_.LicenseStatus -ne 1 }).Count -gt 0) {
    exit 1
}
