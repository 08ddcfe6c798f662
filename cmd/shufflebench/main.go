// Command shufflebench measures and proves columnar shuffle writers.
//
// A command file binds flags to a config struct of the package that does the
// work, and nothing else. The process itself (arguments, streams, signals,
// exit) is a value, so that tests run the whole program.
package main

import "os"

func main() {
	st := processState()
	os.Exit(run(st))
}
