//! Queries for `pg_search`. Words of the index are taken as they are: JSON is their only form, and the server parses
//! nothing inside them.

use serde_json::{Value, json};

use super::connection::Sql;
use super::entry::literal_of_project;
use super::wanted::{Restriction, Wanted};

// The words begin with the number of their project, so that it need not stand here once more: that costs .6 to 1 ms.
pub(super) const BEST: Sql = Sql {
    doing: "search",
    text: "SELECT key, paradedb.score(key) FROM chunks WHERE key @@@ $1::jsonb \
           ORDER BY paradedb.score(key) DESC, key LIMIT $2",
};
pub(super) const LITERAL: Sql = Sql {
    doing: "search literally",
    text: "SELECT key FROM chunks WHERE key @@@ $1::jsonb ORDER BY key LIMIT $2",
};

pub(super) fn query(wanted: &Wanted, project: i64) -> Value {
    let terms: Vec<Value> = (wanted.terms.iter())
        .map(|of| json!({ "boost": { "factor": of.boost(), "query": term("terms", &of.term) } }))
        .collect();
    let phrases = |of: &[String]| of.iter().map(|words| phrase(project, words)).collect::<Vec<Value>>();
    let mut must = restriction(&wanted.within);
    must.extend(phrases(&wanted.required).iter().map(unscored));
    let must_not = phrases(&wanted.excluded);
    if wanted.required.is_empty() {
        must.push(json!({ "boolean": { "should": terms } }));
        return json!({ "boolean": { "must": must, "must_not": must_not } });
    }
    json!({ "boolean": { "must": must, "should": terms, "must_not": must_not } })
}

/// Those passages that hold the words one after the other.
pub(super) fn literal(project: i64, words: &str, within: &Restriction) -> Value {
    let mut all = restriction(within);
    all.push(phrase(project, words));
    json!({ "boolean": { "must": all } })
}

/// Words that stand one after the other, given between spaces.
fn phrase(project: i64, text: &str) -> Value {
    let words = text.split(' ').filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| literal_of_project(project, word)).collect();
    match words.as_slice() {
        [word] => term("literal", word),
        words => json!({ "phrase": { "field": "literal", "phrases": words } }),
    }
}

fn restriction(within: &Restriction) -> Vec<Value> {
    let any_of = |labels: &Vec<String>| {
        let terms: Vec<Value> = labels.iter().map(|label| term("labels", label)).collect();
        unscored(&json!({ "boolean": { "should": terms } }))
    };
    let mut all: Vec<Value> = within.labels.iter().map(any_of).collect();
    if within.since.is_some() || within.until.is_some() {
        let bound = |day: Option<i32>| day.map(|day| json!({ "included": day }));
        let (lower, upper) = (bound(within.since), bound(within.until));
        let range = json!({ "range": { "field": "date", "lower_bound": lower, "upper_bound": upper } });
        all.push(unscored(&range));
    }
    all
}

fn term(field: &str, value: &str) -> Value {
    json!({ "term": { "field": field, "value": value } })
}

fn unscored(query: &Value) -> Value {
    json!({ "const_score": { "score": 0.0, "query": query } })
}
