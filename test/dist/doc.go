// Package dist tests kinit as its users get it: the program on machines that lack what the
// machine that built it has.
package dist
