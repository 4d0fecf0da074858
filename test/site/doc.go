// Package site tests the static site that "make docs" builds from the pages of docs/.
package site
