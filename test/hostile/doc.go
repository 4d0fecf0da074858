// Package hostile is kinit's modules at work in the folder of a user who wants to become
// root: whatever that user puts in their way, nothing of root's is changed or read.
package hostile
