//! Schemas as clients read them.

use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};

/// Takes the formats of numbers out (`uint32`, `float`): JSON Schema has none, and clients complain of those that they do
/// not know.
pub(crate) fn plain(schema: &mut Schema) {
    RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
    })
    .transform(schema);
}
