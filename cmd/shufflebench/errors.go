package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shufflebench/shufflebench/pkg/writer"
)

// unknownName is the error of a name that none of the known ones matches.
func unknownName(what, got string, known []string) error {
	return &writer.UnknownNameError{What: what, Got: got, Known: known}
}

// sentence makes one line of an error: the parts of a joined one, a question
// after an unknown name.
func sentence(err error) string {
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, "interrupted: context canceled", "interrupted")
		text = strings.ReplaceAll(text, "context canceled", "interrupted")
	}
	var unknown *writer.UnknownNameError
	if errors.As(err, &unknown) && !strings.Contains(text, "did you mean") {
		text += didYouMean(unknown.Got, unknown.Known)
	}
	return text
}

// flagError rewords what pflag says about flags.
func flagError(cmd *cobra.Command, err error) error {
	var (
		missing *pflag.NotExistError
		empty   *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() == "":
		name := missing.GetSpecifiedName()
		hint := ""
		if near, ok := nearest(name, flagNames(cmd)); ok {
			hint = "; did you mean --" + near + "?"
		}
		return usage("%s has no flag --%s%s", cmd.CommandPath(), name, hint)
	case errors.As(err, &empty):
		return usage("flag --%s needs a value", empty.GetFlag().Name)
	case errors.As(err, &invalid):
		return &usageError{fmt.Errorf("--%s: %w", invalid.GetFlag().Name, plainCause(invalid))}
	}
	return &usageError{err}
}

// plainCause takes Go's own words out of a value's error.
func plainCause(e *pflag.InvalidValueError) error {
	cause := e.Unwrap()
	if strings.HasPrefix(cause.Error(), "strconv.") {
		return fmt.Errorf("%q is no %s", e.GetValue(), e.GetFlag().Value.Type())
	}
	return cause
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// noArgs is cobra.NoArgs in our words.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no argument, but got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// unknownCommand is the root's answer to a word that is no command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return unknownName("command", args[0], names)
}
