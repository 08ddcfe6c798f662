package stats

import (
	"math"
	"math/rand/v2"
)

// world is a simulated machine. Rates are fractions: noise 0.02 is a standard
// deviation of 2 % a run.
type world struct {
	name   string
	noise  float64
	shape  string  // normal, t3, skewed; "" is normal
	effect float64 // what head does
	slot   float64 // what going first does
	drift  float64 // linear, from the first run to the last
	step   float64 // from the middle of the rounds on
	walk   float64 // standard deviation of a random walk's step, run to run
	spikes float64 // share of runs that take 20 % more
}

// sampler draws from the world, reproducibly.
type sampler struct {
	world
	rng *rand.Rand
}

func (w world) sampler(seed uint64) *sampler { return &sampler{w, rand.New(rand.NewPCG(seed, 8))} }

// rounds simulates n rounds, base first in the odd ones.
func (s *sampler) rounds(n int) []Pair {
	pairs := make([]Pair, n)
	walk := 0.0
	for i := range pairs {
		p := &pairs[i]
		p.Round, p.BaseFirst = i+1, i%2 == 0
		for slot := range 2 {
			walk += s.walk * s.rng.NormFloat64()
			t := 10 * math.Exp(walk) * (1 + s.drift*float64(2*i+slot)/float64(2*n-1))
			if i >= n/2 {
				t *= 1 + s.step
			}
			if slot == 0 {
				t *= 1 + s.slot
			}
			if head := p.BaseFirst == (slot == 1); head {
				p.Head.Value = t * (1 + s.effect) * s.jitter()
			} else {
				p.Base.Value = t * s.jitter()
			}
		}
	}
	return pairs
}

// jitter is a run's own noise as a factor around 1.
func (s *sampler) jitter() float64 {
	z := s.rng.NormFloat64()
	switch s.shape {
	case "t3":
		// Student's t with 3 degrees of freedom, scaled to variance 1.
		sum := 0.0
		for range 3 {
			v := s.rng.NormFloat64()
			sum += v * v
		}
		z /= math.Sqrt(sum)
	case "skewed":
		z = s.rng.ExpFloat64() - 1
	}
	f := math.Exp(s.noise * z)
	if s.rng.Float64() < s.spikes {
		f *= 1.2
	}
	return f
}

// outcomes count what came of many simulated comparisons.
type outcomes struct {
	trials, excluding int
	verdicts          map[Verdict]int
	resolution        float64 // mean
}

func (s *sampler) simulate(trials, rounds int, opts Options) (outcomes, error) {
	o := outcomes{trials: trials, verdicts: map[Verdict]int{}}
	for range trials {
		c, err := ComparePaired(s.rounds(rounds), opts)
		if err != nil {
			return o, err
		}
		o.verdicts[c.Verdict]++
		o.resolution += c.Resolution / float64(trials)
		if c.Interval != nil && !c.Interval.Contains(1+s.effect) {
			o.excluding++
		}
	}
	return o, nil
}

// rate is a verdict's share in percent.
func (o *outcomes) rate(v Verdict) float64 { return 100 * float64(o.verdicts[v]) / float64(o.trials) }

func (o *outcomes) differences() float64 { return o.rate(Better) + o.rate(Worse) }

func (o *outcomes) missed() float64 { return 100 * float64(o.excluding) / float64(o.trials) }
