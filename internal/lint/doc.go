// Package lint holds the rules of the source tree that a test can check with
// nothing but Go: who may import whom, how long files and functions are, what
// has a comment. It has no code of its own.
package lint
