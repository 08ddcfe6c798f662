package pages

import "math/bits"

// maxDigit is the most bits sorted by in one pass: 2,048 counters and as many
// places written to stay in a core's nearest caches.
const maxDigit = 11

const partitionShift = PageBits + OffsetBits

// Sort orders pointers by partition; those of one partition keep their order.
// The result lies in pointers or in scratch, which must be as long.
//
// It is a radix sort from the lowest digit up, over as many bits as the highest
// partition has, in equal digits.
func Sort(pointers, scratch []Pointer) []Pointer {
	all := Pointer(0)
	for _, p := range pointers {
		all |= p
	}
	width := bits.Len32(all.Partition())
	if width == 0 || len(pointers) < 2 {
		return pointers
	}
	passes := (width + maxDigit - 1) / maxDigit
	digit := (width + passes - 1) / passes
	from, to := pointers, scratch[:len(pointers)]
	for pass := range passes {
		sortPass(from, to, partitionShift+pass*digit, digit)
		from, to = to, from
	}
	return from
}

// sortPass is a counting sort by the digit at shift.
func sortPass(from, to []Pointer, shift, digit int) {
	var places [1 << maxDigit]uint32
	mask := Pointer(1)<<digit - 1
	for _, p := range from {
		places[p>>shift&mask&(1<<maxDigit-1)]++
	}
	sum := uint32(0)
	for d, n := range places[:mask+1] {
		places[d] = sum
		sum += n
	}
	for _, p := range from {
		at := &places[p>>shift&mask&(1<<maxDigit-1)]
		to[*at] = p
		*at++
	}
}
