package compare

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// template is a command line with placeholders in braces. It is split into
// words once and started without a shell, so that what is measured is the
// command and nothing around it.
type template []string

// placeholder is {input}, {output}, …
var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_-]*)\}`)

// parseTemplate splits a command line into words as a shell would: blanks
// separate, single and double quotes and backslashes keep blanks. Nothing is
// expanded; what only a shell can do is refused.
func parseTemplate(text string) (template, error) {
	s := splitter{}
	for _, r := range text {
		if err := s.take(r); err != nil {
			return nil, fmt.Errorf("command %q: %w", text, err)
		}
	}
	if s.quote != 0 || s.escaped {
		return nil, fmt.Errorf("command %q: a quote is not closed", text)
	}
	s.end()
	if len(s.words) == 0 {
		return nil, errors.New("the command is empty")
	}
	return s.words, nil
}

// ParseArgs splits arguments likewise; none are no error.
func ParseArgs(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	return parseTemplate(text)
}

type splitter struct {
	words   []string
	word    strings.Builder
	begun   bool
	quote   rune // the open quote, 0 for none
	escaped bool
}

func (s *splitter) take(r rune) error {
	switch {
	case s.escaped:
		s.escaped = false
		s.add(r)
	case r == '\\' && s.quote != '\'':
		s.escaped = true
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote == 0 && (r == '\'' || r == '"'):
		s.quote, s.begun = r, true
	case s.quote == 0 && strings.ContainsRune(" \t\n\r", r):
		s.end()
	case s.quote != '\'' && strings.ContainsRune("$`", r), s.quote == 0 && strings.ContainsRune("|<>;&", r):
		return fmt.Errorf("%q needs a shell; write sh -c '…', and know that the shell is then measured as well", r)
	default:
		s.add(r)
	}
	return nil
}

func (s *splitter) add(r rune) {
	s.word.WriteRune(r)
	s.begun = true
}

func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

// names lists the placeholders.
func (t template) names() []string {
	seen := map[string]bool{}
	for _, w := range t {
		for _, m := range placeholder.FindAllStringSubmatch(w, -1) {
			seen[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// fill replaces the placeholders; value reports whether it knows a name.
func (t template) fill(value func(name string) (string, bool)) ([]string, error) {
	var unknown []string
	out := make([]string, len(t))
	for i, w := range t {
		out[i] = fillText(w, value, func(s string) string { return s }, &unknown)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no placeholder is called {%s}", strings.Join(unknown, "}, {"))
	}
	return out, nil
}

// fillText replaces the placeholders of one text; each value goes through
// quote. Names without a value are added to unknown and left as they are.
func fillText(text string, value func(string) (string, bool), quote func(string) string, unknown *[]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		v, ok := value(m[1 : len(m)-1])
		if !ok {
			*unknown = append(*unknown, m[1:len(m)-1])
			return m
		}
		return quote(v)
	})
}
