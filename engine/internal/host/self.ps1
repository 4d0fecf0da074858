# Which machine this is: the id that Windows Setup made, and when the first process was made,
# which the clock does not move.
'= machine'
try {
    [string](Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Cryptography' -Name 'MachineGuid' -ErrorAction Stop).MachineGuid
} catch {
    ''
}
$first = Get-CimInstance -ClassName Win32_Process -Filter "Name = 'wininit.exe' AND SessionId = 0"
$first.CreationDate.ToUniversalTime().ToString('o')
