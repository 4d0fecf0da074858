// Package ordinary tests kinit on a host as administrators leave them: strict umasks, odd names of files, line ends of
// Windows, locked files, users without a home or a shell. Most cases come from reports to the projects that do the same work;
// a comment names the source of each.
package ordinary
