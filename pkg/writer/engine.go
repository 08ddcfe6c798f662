package writer

// Engines lists the names of the engines.
func Engines() []string { return []string{"ranges"} }
