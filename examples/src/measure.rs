//! Measures of rankings and of time.

#![allow(clippy::implicit_hasher, reason = "grades are read into the standard map")]

use std::collections::HashMap;

/// Normalised discounted cumulative gain of the first `depth` places (Järvelin and Kekäläinen 2002).
///
/// `grades` holds the grades of all passages that answer the question; those not ranked count as missed.
#[must_use]
pub fn ndcg(ranking: &[String], grades: &HashMap<String, f64>, depth: usize) -> f64 {
    let gain = |grades: &mut dyn Iterator<Item = f64>| -> f64 {
        grades.take(depth).zip(2_u32..).map(|(grade, place)| grade / f64::from(place).log2()).sum()
    };
    let mut best: Vec<f64> = grades.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal = gain(&mut best.into_iter());
    let got = gain(&mut ranking.iter().map(|id| grades.get(id).copied().unwrap_or(0.0)));
    if ideal > 0.0 { got / ideal } else { 0.0 }
}

/// Share of the answering passages that are among the first `depth`.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
pub fn recall(ranking: &[String], grades: &HashMap<String, f64>, depth: usize) -> f64 {
    let found = ranking.iter().take(depth).filter(|id| grades.contains_key(*id)).count();
    if grades.is_empty() { 0.0 } else { found as f64 / grades.len() as f64 }
}

/// One over the place of the first answering passage among the first `depth`; 0 without one.
#[must_use]
pub fn reciprocal_rank(ranking: &[String], grades: &HashMap<String, f64>, depth: usize) -> f64 {
    let first = (1_u32..).zip(ranking.iter().take(depth)).find(|(_, id)| grades.contains_key(*id));
    first.map_or(0.0, |(place, _)| 1.0 / f64::from(place))
}

/// The mean; 0 of nothing.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The value below which a share of the values lies (nearest rank); 0 of nothing.
#[must_use]
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index"
)]
pub fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * sorted.len() as f64) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Largest memory of this process so far, in megabytes; `None` where the system does not say.
#[must_use]
pub fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

/// Bytes of all files of a folder.
#[must_use]
pub fn bytes_of(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn rankings_are_measured_as_the_papers_say() {
        let grades = HashMap::from([("a".to_owned(), 2.0), ("b".to_owned(), 1.0)]);
        let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-9, "{got} {wanted}");
        near(ndcg(&ranking(&["a", "b"]), &grades, 10), 1.0);
        // 1 / log2(2) + 2 / log2(4) over 2 / log2(2) + 1 / log2(3), with x in the first place.
        near(ndcg(&ranking(&["b", "x", "a"]), &grades, 10), 2.0 / (2.0 + 1.0 / 3_f64.log2()));
        near(ndcg(&ranking(&["x", "a"]), &grades, 1), 0.0);
        near(recall(&ranking(&["x", "b"]), &grades, 2), 0.5);
        near(reciprocal_rank(&ranking(&["x", "b"]), &grades, 10), 0.5);
        near(reciprocal_rank(&ranking(&["x", "b"]), &grades, 1), 0.0);
    }

    #[test]
    fn percentiles_of_few_and_of_none() {
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        assert!((percentile(&values, 0.5) - 50.0).abs() < 1e-9);
        assert!((percentile(&values, 1.0) - 99.0).abs() < 1e-9);
        assert!(percentile(&[], 0.5).abs() < 1e-9);
    }
}
