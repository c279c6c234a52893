//! Keeps what was asked, and the key, out of what a provider says about it.

use std::collections::HashMap;

use crate::ChatRequest;
use crate::key::Secret;

/// A run of this many characters in common with a secret text is an echo of it, not a coincidence.
const RUN: usize = 12;
/// A whole text shorter than this cannot be told from an ordinary word, and is not looked for.
const SHORTEST: usize = 4;
/// The longest message that is kept, in characters.
const LONGEST: usize = 300;
/// How much of a message is looked at, in characters.
const CONSIDERED: usize = 4_000;
const MASK: &str = "[...]";

/// Knows the texts of one call, to find them in what the provider answers.
pub(crate) struct Redactor {
    texts: Vec<String>,
    key: Option<Secret>,
}

impl Redactor {
    pub(crate) fn new(request: ChatRequest, key: Option<Secret>) -> Self {
        Self { texts: request.into_texts().collect(), key }
    }

    /// `message` on one line, shortened, with every echo of the call replaced by `[...]`.
    pub(crate) fn clean(&self, message: &str) -> String {
        let chars: Vec<char> =
            message.chars().take(CONSIDERED).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut echo = vec![false; chars.len()];
        let mut runs: HashMap<&[char], Vec<usize>> = HashMap::new();
        for (at, run) in chars.windows(RUN).enumerate() {
            runs.entry(run).or_default().push(at);
        }
        let secrets = self.texts.iter().map(String::as_str).chain(self.key.as_deref());
        for secret in secrets {
            let secret: Vec<char> =
                secret.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            if secret.len() < SHORTEST {
                continue;
            }
            if secret.len() < RUN {
                let whole =
                    chars.windows(secret.len()).enumerate().filter(|(_, run)| *run == secret.as_slice());
                whole.for_each(|(at, _)| mark(&mut echo, at, secret.len()));
            }
            for run in secret.windows(RUN) {
                // Removed once marked: else a text that repeats itself would be marked again and again.
                runs.remove(run).into_iter().flatten().for_each(|at| mark(&mut echo, at, RUN));
            }
        }
        let mut clean = String::new();
        let mut masked = false;
        for (c, echo) in chars.into_iter().zip(echo).take(LONGEST) {
            if !echo {
                clean.push(c);
            } else if !masked {
                clean.push_str(MASK);
            }
            masked = echo;
        }
        clean.trim().to_owned()
    }
}

fn mark(echo: &mut [bool], at: usize, length: usize) {
    echo.iter_mut().skip(at).take(length).for_each(|echo| *echo = true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ApiKey, Message};
    use proptest::prelude::*;

    fn redactor(prompt: &str) -> Redactor {
        let request =
            ChatRequest::new([Message::user(prompt)]).with_system("You answer from the sources only.");
        Redactor::new(request, Some(ApiKey::new("sk-verysecret".to_owned()).unwrap().secret().unwrap()))
    }

    #[test]
    fn what_is_no_echo_is_kept() {
        let message = "model requires more system memory (5.6 GiB) than is available (3.2 GiB)";
        assert_eq!(redactor("Quanto custa a memória?").clean(message), message);
        assert_eq!(redactor("a").clean("a banana"), "a banana");
    }

    #[test]
    fn prompt_system_and_key_are_masked() {
        let redactor = redactor("Meu CPF é 123.456.789-09,\nguarde-o.");
        let clean = redactor.clean(
            "bad input \"Meu CPF é 123.456.789-09, guarde-o.\" after 'You answer from the sources only.' by sk-verysecret!",
        );
        assert_eq!(clean, "bad input \"[...]\" after '[...]' by [...]!");
    }

    #[test]
    fn a_short_prompt_is_masked_where_it_stands_whole() {
        assert_eq!(redactor(" senha9 ").clean("cannot read senha9, sorry"), "cannot read [...], sorry");
    }

    #[test]
    fn a_message_is_one_short_line() {
        let clean = redactor("olá, tudo bem?").clean(&"palavra é\r\n".repeat(10_000));
        assert!(clean.chars().count() <= LONGEST && !clean.contains('\n'), "{clean}");
    }

    proptest! {
        #[test]
        fn no_run_of_the_prompt_survives(
            prompt in "[a-z é🙂\"\\\\\n]{12,80}",
            before in any::<String>(),
            after in any::<String>(),
        ) {
            let clean: Vec<char> = redactor(&prompt).clean(&format!("{before}{prompt}{after}")).chars().collect();
            let prompt: Vec<char> = prompt.trim().replace('\n', " ").chars().collect();
            for run in prompt.windows(RUN) {
                prop_assert!(!clean.windows(RUN).any(|window| window == run), "{run:?} in {clean:?}");
            }
        }
    }
}
