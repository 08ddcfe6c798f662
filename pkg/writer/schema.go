package writer

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/shufflebench/shufflebench/pkg/writer/convert"
)

// OutputSchema is the schema of what is written for a fixture of the given
// schema: the same names and nullability, and the types that package convert
// makes of its types.
func OutputSchema(s *arrow.Schema) *arrow.Schema { return convert.New(s).Schema }

// StrictTypesError says that columns would have to be converted, which the
// options forbid.
type StrictTypesError struct{ Notes []string }

// Error lists the columns.
func (e *StrictTypesError) Error() string {
	return fmt.Sprintf("strict types: %s", strings.Join(e.Notes, "; "))
}
