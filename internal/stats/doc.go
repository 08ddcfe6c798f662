// Package stats decides what a paired comparison of two variants shows. It
// does no I/O, reads no clock and draws no random numbers: equal samples give
// equal results, always.
//
// # What is compared
//
// A round is a pair of runs, one of base and one of head, close together in
// time. Rounds alternate which side runs first:
//
//	round    1     2     3     4         A  base first
//	order   b h   h b   b h   h b        B  head first
//	log     A     B     A     B
//	ratio  θ-ψ   θ+ψ   θ-ψ   θ+ψ        θ  what head does to the metric
//	                                     ψ  what going first does to it
//
// Each round yields y = log(head/base). Whatever lasts longer than a round (a
// warm machine, a neighbor, a step between rounds) hits both halves and
// cancels in y. Whatever clings to the first slot, and a steady drift, which
// makes every second slot slower by the same factor, shifts y by -ψ in A
// rounds and by +ψ in B rounds.
//
// # The test: sign flips that keep the balance
//
// If head does nothing (θ = 0), the names base and head inside a round mean
// nothing, and swapping them changes the sign of y. The sign-flip test asks
// how extreme the true names are among all 2^n renamings. That is exact
// without a slot effect, and too careful with one: ψ counts as noise.
//
// So only some flips are used: those that flip as many A rounds as B rounds.
// Such a renaming moves the labels A and B around among the rounds, and ψ
// drops out of every one of them, whatever its size, without being estimated.
// There are C(n, n/2) of them: 252 at ten rounds. Nothing is assumed of the
// noise but that rounds are alike. In the language of trials this is the
// randomization test of a two-period crossover.
//
// # The interval: all ratios that are not rejected
//
// Testing θ = t instead of 0 means subtracting t from every y. A flip of the
// rounds in F is at least as extreme as the truth exactly when the mean of y
// over F is at most t. So the test is inverted by sorting the means of all
// balanced sets of rounds (Hartigan's typical values, 1969): θ is as likely to
// lie in any one gap between neighbors as in any other. With M gaps and
// k = ⌊M·α/2⌋ the interval runs from the k-th smallest to the k-th largest.
//
// # Three families of typical values
//
// One rule picks the family, from the number of rounds and their order alone,
// never from the values:
//
//	rounds   typical values                         slot effect
//	6, 7     means of all sets of rounds (2^n)      stays in, widens the interval
//	8 - 13   means of balanced sets (C(n, n/2))     gone exactly
//	14 -     means of one A and one B round,        gone exactly
//	         counted by the rank-sum distribution
//
// Six and seven rounds have 20 and 35 balanced renamings: too few for 95 %.
// From 14 rounds the same renamings are judged by ranks (Koch's analysis of
// crossovers, 1972), since then, and not before, a run that took twice its
// time loses its pull on the interval; below, ranks are coarser than means and
// gain nothing. All three are exact. When the order was hardly ever flipped
// there is no balance to keep, plain flips are used and a warning says that
// head and slot cannot be told apart.
//
// The point estimate is the Hodges-Lehmann one: the median of the means of
// one A and one B round. It has no slot effect, and shrugs off an odd run
// that would drag the mean.
//
// # The verdict
//
// The interval is held against a band of ratios around 1, [1/(1+t), 1+t] for
// a threshold t, so that swapping the sides swaps the verdict:
//
//	                 1/(1+t)    1    1+t
//	better       ├──┤   ┊       │     ┊          wholly outside
//	no difference       ┊  ├────│──┤  ┊          wholly inside
//	inconclusive        ┊       │  ├──┊───┤      across an edge
//	worse               ┊       │     ┊  ├──┤    wholly outside
//
// "Worse" so means: worse by more than the threshold, at the stated
// confidence. A change of exactly the threshold is called in one case in 40,
// one of half the threshold practically never. What an inconclusive interval
// does show is kept as a Lean, with the number of further rounds that would
// probably settle it.
package stats
