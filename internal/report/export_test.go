package report

// UpdateGolden reports whether golden files are to be written anew.
func UpdateGolden() bool { return *update }
