//! Measures of how well a confidence tells what is answerable. Both kinds of questions weigh the same, however many there
//! are of each.

/// A question, what is true of it, and what was said of it.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// Its answer is there.
    pub is_answerable: bool,
    /// The probability that was given to that.
    pub confidence: f64,
    /// It was taken to be answerable.
    pub has_context: bool,
}

/// The questions whose confidence lies in one tenth of the range.
#[derive(Debug, Clone, Copy)]
pub struct Bin {
    /// The mean of their confidence.
    pub confidence: f64,
    /// The part of them that is answerable.
    pub answerable: f64,
    /// The part of all questions that they are.
    pub share: f64,
}

/// Tenths that confidence is told apart by.
const BINS: usize = 10;

/// The mean of how many of the answerable questions and how many of the others were told rightly; 0 of nothing.
#[must_use]
pub fn balanced_accuracy(judged: &[Judged]) -> f64 {
    let weights = weights(judged);
    let right = judged.iter().zip(&weights).filter(|(judged, _)| judged.is_answerable == judged.has_context);
    right.map(|(_, weight)| weight).sum()
}

/// How often an answerable question has more confidence than an unanswerable one (area under the ROC curve); a half for
/// ties, and where there is nothing to compare.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
pub fn area_under_curve(judged: &[Judged]) -> f64 {
    let of = |is_answerable: bool| -> Vec<f64> {
        judged
            .iter()
            .filter(|judged| judged.is_answerable == is_answerable)
            .map(|judged| judged.confidence)
            .collect()
    };
    let (yes, mut no) = (of(true), of(false));
    if yes.is_empty() || no.is_empty() {
        return 0.5;
    }
    no.sort_by(f64::total_cmp);
    let wins = |confidence: &f64| {
        let below = no.partition_point(|other| other < confidence);
        let up_to = no.partition_point(|other| other <= confidence);
        (below + up_to) as f64 / 2.0
    };
    yes.iter().map(wins).sum::<f64>() / (yes.len() as f64 * no.len() as f64)
}

/// Expected calibration error (Naeini and others 2015): how far confidence and truth are apart in each tenth, in the mean
/// over the questions.
#[must_use]
pub fn calibration_error(judged: &[Judged]) -> f64 {
    bins(judged).iter().map(|bin| bin.share * (bin.confidence - bin.answerable).abs()).sum()
}

/// The tenths that hold questions.
#[must_use]
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index of ten"
)]
pub fn bins(judged: &[Judged]) -> Vec<Bin> {
    let mut sums = [[0.0; 3]; BINS];
    for (judged, weight) in judged.iter().zip(weights(judged)) {
        let at = ((judged.confidence * BINS as f64) as usize).min(BINS - 1);
        if let Some([confidence, answerable, share]) = sums.get_mut(at) {
            *confidence += weight * judged.confidence;
            *answerable += if judged.is_answerable { weight } else { 0.0 };
            *share += weight;
        }
    }
    let bin = |[confidence, answerable, share]: [f64; 3]| Bin {
        confidence: confidence / share,
        answerable: answerable / share,
        share,
    };
    sums.into_iter().filter(|[_, _, share]| *share > 0.0).map(bin).collect()
}

/// Each question's weight: the answerable ones weigh a half together, and so do the others.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn weights(judged: &[Judged]) -> Vec<f64> {
    let yes = judged.iter().filter(|judged| judged.is_answerable).count();
    let no = judged.len() - yes;
    judged.iter().map(|judged| 0.5 / if judged.is_answerable { yes } else { no } as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(is_answerable: bool, confidence: f64) -> Judged {
        Judged { is_answerable, confidence, has_context: confidence >= 0.5 }
    }

    #[test]
    fn measures_are_those_worked_out_by_hand() {
        let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-9, "{got} {wanted}");
        let some = [
            judged(true, 0.9),
            judged(true, 0.3),
            judged(false, 0.3),
            judged(false, 0.1),
            judged(false, 0.7),
            judged(false, 0.2),
        ];
        // 1 of 2 and 3 of 4.
        near(balanced_accuracy(&some), 0.625);
        // 0.9 beats all four; 0.3 beats two and ties with one.
        near(area_under_curve(&some), (4.0 + 2.5) / 8.0);
        // The tenths from .1, .2, .7 and .9 hold one question each, that from .3 one of each kind.
        let error =
            0.125 * 0.1 + 0.125 * 0.2 + 0.375 * (0.25 / 0.375 - 0.3_f64).abs() + 0.125 * 0.7 + 0.25 * 0.1;
        near(calibration_error(&some), error);
        near(bins(&some).iter().map(|bin| bin.share).sum(), 1.0);
        near(area_under_curve(&[]), 0.5);
        near(calibration_error(&[]), 0.0);
    }
}
