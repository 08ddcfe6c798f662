package metrics

// rowsColumns say what was asked for of checksums, and of engine sorted-rows.
var rowsColumns = []Column{
	{"checksum", "checksum", Text, Asked, "Checksum kept for every partition, in a file beside the index.", "",
		func(r *Row) any { return &r.Checksum }},
	{"calls", "calls", Text, Asked, "Engine sorted-rows: whether the encoder is called once a spill or once a partition.", "",
		func(r *Row) any { return &r.Calls }},
	{"page_bytes", "page", Bytes, Asked, "Engine sorted-rows: bytes of a page of rows.", "",
		func(r *Row) any { return &r.PageBytes }},
	{"spill_rows", "rows a spill", Rows, Asked, "Engine sorted-rows: rows that a task holds before it spills; 0 is no limit.", "",
		func(r *Row) any { return &r.SpillRows }},
	{"record_length_bytes", "record length", Bytes, Asked, "Engine sorted-rows: bytes of the length before a row in its page.", "",
		func(r *Row) any { return &r.RecordLength }},
	{"dictionary_ratio", "dictionary ratio", Ratio, Asked, "Engine sorted-rows: rows a distinct value from which strings become dictionaries; 1 is never.", "",
		func(r *Row) any { return &r.DictionaryRatio }},
}
