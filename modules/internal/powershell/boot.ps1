# When the host started, by its clock, and when its first process was made. The first
# moves when the clock is set; the second stays what it was.
$system = Get-CimInstance -ClassName Win32_OperatingSystem
$first = Get-CimInstance -ClassName Win32_Process -Filter "Name = 'wininit.exe' AND SessionId = 0"
@{
    time = $system.LastBootUpTime.ToUniversalTime().ToString('o')
    id = $first.CreationDate.ToUniversalTime().ToString('o')
}
