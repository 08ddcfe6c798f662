package report

import (
	"fmt"
	"io"
	"strings"
)

// GitHub writes annotations for the log of a GitHub Actions job, one a finding,
// and the Markdown for its step summary.
func (c *Comparison) GitHub(annotations, summary io.Writer) error {
	var b strings.Builder
	level := "error"
	switch c.Outcome.Kind {
	case NoRegression, SelfTestPassed:
		level = "notice"
	case NotConclusive, Stopped, NoOutcome:
		level = "warning"
	}
	reasons := c.Outcome.Reasons
	if len(reasons) == 0 {
		reasons = []string{c.Outcome.Text}
	}
	for _, r := range reasons {
		annotate(&b, level, orElse(string(c.Outcome.Kind), "shufflebench"), r)
	}
	for i := range c.Cases {
		if c.Cases[i].Lone != "" {
			annotate(&b, "warning", "not compared", c.Cases[i].loneLine())
		}
	}
	if _, err := io.WriteString(annotations, b.String()); err != nil {
		return err
	}
	return c.Markdown(summary)
}

var (
	workflowText  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowTitle = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func annotate(b *strings.Builder, level, title, text string) {
	fmt.Fprintf(b, "::%s title=%s::%s\n", level, workflowTitle.Replace("shufflebench: "+title), workflowText.Replace(text))
}
