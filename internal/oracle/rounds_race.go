//go:build race

package oracle

const slowdown = 10
