// Package roles checks the tables of docs/roles, which say what each task of well-known roles of
// Ansible is in the examples, and writes docs/roles.md from them.
package roles
