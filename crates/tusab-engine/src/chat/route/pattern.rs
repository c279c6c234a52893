//! Closed lists of questions, written short: `how many (videos|files) [are there] in the base`.

/// Whether the words are said by the pattern: words, `(one of|several)`, and `[what may|also be missing]`.
pub(super) fn is_said_by(words: &[&str], pattern: &str) -> bool {
    follows(words, pattern.trim())
}

fn follows(words: &[&str], pattern: &str) -> bool {
    let pattern = pattern.trim_start();
    let Some(first) = pattern.chars().next() else { return words.is_empty() };
    let close = match first {
        '(' => ')',
        '[' => ']',
        _ => {
            let (word, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
            return words.split_first().is_some_and(|(said, left)| *said == word && follows(left, rest));
        }
    };
    let Some((inside, rest)) = pattern.get(1..).and_then(|pattern| pattern.split_once(close)) else {
        return false;
    };
    if first == '[' && follows(words, rest) {
        return true;
    }
    inside.split('|').any(|choice| {
        let choice: Vec<&str> = choice.split_whitespace().collect();
        words.strip_prefix(choice.as_slice()).is_some_and(|left| follows(left, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_and_what_may_be_missing() {
        let said = |text: &str, pattern: &str| is_said_by(&text.split(' ').collect::<Vec<_>>(), pattern);
        let pattern = "how many (videos|text files) [are there] [in the base|here]";
        for text in [
            "how many videos",
            "how many text files are there",
            "how many videos in the base",
            "how many videos are there here",
        ] {
            assert!(said(text, pattern), "{text}");
        }
        for text in [
            "how many",
            "how many videos are",
            "how many videos are there there",
            "so how many videos",
            "how many text videos",
        ] {
            assert!(!said(text, pattern), "{text}");
        }
        assert!(said("a b", "[a] a b") && said("a a b", "[a] a b"));
    }
}
