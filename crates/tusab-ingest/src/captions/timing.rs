//! The line of a cue that says when it is shown.

use tusab_chunk::TimeSpan;

use super::time::stamp;

/// When a cue is shown, and what is odd about how that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    pub(crate) span: TimeSpan,
    pub(crate) negative: bool,
    pub(crate) reversed: bool,
    pub(crate) comma: bool,
}

/// Reads `00:00:01.000 --> 00:00:02.000` and skips the settings after it, which say where on the screen.
pub(crate) fn timing(line: &str) -> Option<Timing> {
    let space = |c: char| c.is_ascii_whitespace();
    let (start, rest) = stamp(line.trim_start_matches(space))?;
    let rest = rest.trim_start_matches(space).strip_prefix("-->")?;
    let (end, _) = stamp(rest.trim_start_matches(space))?;
    Some(Timing {
        span: TimeSpan::between(start.time, end.time.max(start.time)),
        negative: start.negative || end.negative,
        reversed: end.time < start.time,
        comma: start.comma || end.comma,
    })
}

/// Whether a line is meant to say when a cue is shown, well written or not.
///
/// The specification takes any line with an arrow for one, and with it loses speech such as `A --> B`.
pub(crate) fn is_timing(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches('-');
    line.starts_with(|c: char| c.is_ascii_digit())
        && line.split_once("-->").is_some_and(|(before, _)| before.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_settings_are_passed_over() {
        for line in [
            "00:00:01.000 --> 00:00:02.000",
            "  00:01.000-->00:02.000  ",
            "\t00:00:01.000\t-->\u{c}00:02.000\talign:start position:0%",
        ] {
            let timing = timing(line).unwrap();
            let times = (timing.span.start().as_millis(), timing.span.end().as_millis());
            assert_eq!(times, (1000, 2000), "{line:?}");
            assert!(is_timing(line));
        }
        // A vertical tab is no white space in WebVTT.
        assert!(timing("\u{b}00:01.000 --> 00:02.000").is_none());
    }

    #[test]
    fn odd_times_are_told() {
        let reversed = timing("00:05.000 --> 00:04.999").unwrap();
        assert!(reversed.reversed && reversed.span.length().as_millis() == 0);
        assert_eq!(reversed.span.start().as_millis(), 5000);
        let negative = timing("-00:00:05.000 --> 00:01.000").unwrap();
        assert!(negative.negative && negative.span.end().as_millis() == 1000);
        assert!(timing("00:01,000 --> 00:02,000").unwrap().comma);
        assert!(!timing("00:01.000 --> 00:01.000").unwrap().reversed);
    }

    #[test]
    fn speech_with_an_arrow_is_speech() {
        for line in [
            "A --> B",
            "de 1 --> 2",
            "1 --> 2",
            "-- > 00:00:01.000",
            "00:00:01.000 -- > 00:00:02.000",
            "nota: x --> y",
        ] {
            assert!(!is_timing(line), "{line:?}");
        }
        for line in ["00:x --> 00:01.000", "00:00:00.000 -->", "-00:01.000 --> 1"] {
            assert!(is_timing(line) && timing(line).is_none(), "{line:?}");
        }
    }
}
