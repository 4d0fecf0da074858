// Package windows implements module.Files for Windows machines, for every transport
// that can run PowerShell there, and knows what paths on Windows may be.
//
// What Windows does not have is dealt with once, here:
//
//   - Permission bits. Stat tells 0666 for a file, 0444 for one with the attribute
//     read-only, and 0777 for folders and links, as Go's os package does. Attr.Mode is
//     taken for what a folder that only its owner may enter (0700) means: Mkdir and
//     SetAttr then take everybody else's access away but that of SYSTEM and the
//     administrators. Any other mode, and that of a file, changes nothing: what is in a
//     folder inherits its access.
//   - Numbers of users. Owner and Group are not told, UID and GID are 0. An owner can be
//     set, by icacls; a group is an error.
//   - Links to what is not there: Windows must know whether a link leads to a folder.
//
// A file that is replaced keeps its access control list where the transport writes by
// script; over SFTP it takes that of its folder.
package windows
