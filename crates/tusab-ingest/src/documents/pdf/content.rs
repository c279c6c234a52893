//! The drawing language of pages, token by token (ISO 32000-2, 7.2 and 7.8.2): without a list of all operations, which
//! takes many times the memory of their text.

/// One operand or operator.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f32),
    Name(Vec<u8>),
    Text(Vec<u8>),
    /// An array with the texts and numbers in it; anything else inside is left out.
    Array(Vec<Item>),
    Operator(Vec<u8>),
    /// A picture that stands in the content itself.
    InlineImage,
}

/// What an array of shown text holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Text(Vec<u8>),
    Number(f32),
}

/// Reads tokens to the end of the bytes. What is no token is passed over.
pub(super) struct Tokens<'c> {
    rest: &'c [u8],
}

fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'c> Tokens<'c> {
    pub(super) fn new(content: &'c [u8]) -> Self {
        Self { rest: content }
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn take_regular(&mut self) -> &'c [u8] {
        let length = self.rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.rest = rest;
        word
    }

    /// `(text)`, after its first bracket.
    fn literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut depth = 1_u32;
        while let Some((&byte, rest)) = self.rest.split_first() {
            self.rest = rest;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    text.extend(self.escape());
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        text
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'\n' => return None,
            b'\r' => {
                self.rest = self.rest.strip_prefix(b"\n").unwrap_or(self.rest);
                return None;
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    match self.rest.split_first() {
                        Some((&digit @ b'0'..=b'7', rest)) => {
                            code = code * 8 + u32::from(digit - b'0');
                            self.rest = rest;
                        }
                        _ => break,
                    }
                }
                // Over 255, the highest bit is dropped, as the standard has it.
                u8::try_from(code & 0xFF).unwrap_or_default()
            }
            other => other,
        })
    }

    /// `<hex>`, after its first bracket.
    fn hex(&mut self) -> Vec<u8> {
        let length = self.rest.iter().position(|byte| *byte == b'>').unwrap_or(self.rest.len());
        let (digits, _) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.skip(length + 1);
        hex_bytes(digits)
    }

    fn array(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some(&byte) = self.rest.first() {
            match byte {
                b']' => {
                    self.skip(1);
                    break;
                }
                b'(' => {
                    self.skip(1);
                    items.push(Item::Text(self.literal()));
                }
                b'<' if self.rest.get(1) != Some(&b'<') => {
                    self.skip(1);
                    items.push(Item::Text(self.hex()));
                }
                byte if is_regular(byte) => {
                    let word = self.take_regular();
                    match number(word) {
                        Some(number) => items.push(Item::Number(number)),
                        // An operator: the array was never closed.
                        None if word.first().is_some_and(u8::is_ascii_alphabetic) => break,
                        None => {}
                    }
                }
                _ => self.skip(1),
            }
        }
        items
    }

    /// Passes over a picture, from after `ID` to after `EI`.
    fn inline_image(&mut self) {
        let mut from = 0;
        while let Some(tail) = self.rest.get(from..) {
            let Some(at) = tail.windows(2).position(|two| two == b"EI") else { break };
            let start = from + at;
            let before = start.checked_sub(1).and_then(|before| self.rest.get(before));
            let is_apart = |byte: Option<&u8>| byte.is_none_or(|byte| is_space(*byte));
            if is_apart(before) && is_apart(self.rest.get(start + 2)) {
                self.skip(start + 2);
                return;
            }
            from = start + 2;
        }
        self.rest = &[];
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            return Some(match byte {
                b'%' => {
                    let end =
                        rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                    self.skip(end + 1);
                    continue;
                }
                b'(' => {
                    self.rest = rest;
                    Token::Text(self.literal())
                }
                b'<' if rest.first() != Some(&b'<') => {
                    self.rest = rest;
                    Token::Text(self.hex())
                }
                b'[' => {
                    self.rest = rest;
                    Token::Array(self.array())
                }
                b'/' => {
                    self.rest = rest;
                    Token::Name(unescaped(self.take_regular()))
                }
                byte if is_regular(byte) => {
                    let word = self.take_regular();
                    match number(word) {
                        Some(number) => Token::Number(number),
                        None if word == b"ID" => {
                            self.inline_image();
                            Token::InlineImage
                        }
                        None => Token::Operator(word.to_vec()),
                    }
                }
                _ => {
                    self.rest = rest;
                    continue;
                }
            });
        }
    }
}

/// A name with its `#20` replaced.
fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match after {
            [high, low, after @ ..]
                if byte == b'#' && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                whole.extend(hex_bytes(&[*high, *low]));
                rest = after;
            }
            _ => whole.push(byte),
        }
    }
    whole
}

/// The bytes that hexadecimal digits stand for; a last one alone is followed by 0.
pub(super) fn hex_bytes(digits: &[u8]) -> Vec<u8> {
    let mut values = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16));
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    while let Some(high) = values.next() {
        let low = values.next().unwrap_or(0);
        bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
    }
    bytes
}

fn number(word: &[u8]) -> Option<f32> {
    if !matches!(word.first()?, b'0'..=b'9' | b'+' | b'-' | b'.') {
        return None;
    }
    let text = std::str::from_utf8(word).ok()?;
    // Some programs write `--5` and `5-3`: as viewers do, what is before is read.
    let text = text.trim_start_matches("--").trim_start_matches('+');
    let end = text.char_indices().skip(1).find(|(_, c)| *c == '-').map_or(text.len(), |(at, _)| at);
    let value = text.get(..end)?.parse::<f32>().unwrap_or(0.0);
    Some(if value.is_finite() { value } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_every_kind() {
        let content = b"/F#201 12 Tf % comment\n[(a\\(b\\051) -250.5 <4142> x] TJ (a(b)\\\r\nc\\101) ' << /MCID 0 >> BDC .5 -.5 --3 w";
        let tokens: Vec<Token> = Tokens::new(content).collect();
        assert_eq!(tokens[0], Token::Name(b"F 1".to_vec()));
        assert_eq!(tokens[1], Token::Number(12.0));
        assert_eq!(tokens[2], Token::Operator(b"Tf".to_vec()));
        let items = vec![Item::Text(b"a(b)".to_vec()), Item::Number(-250.5), Item::Text(b"AB".to_vec())];
        assert_eq!(tokens[3], Token::Array(items));
    }

    #[test]
    fn pictures_in_the_content_are_passed_over() {
        let content = b"q BI /W 1 ID \x00EIx(\xff EI Q (a) Tj";
        let tokens: Vec<Token> = Tokens::new(content).collect();
        assert!(tokens.contains(&Token::InlineImage));
        assert_eq!(tokens[tokens.len() - 2], Token::Text(b"a".to_vec()));
        assert_eq!(Tokens::new(b"BI ID \x00\x01").last(), Some(Token::InlineImage));
        assert_eq!(Tokens::new(b"(never (closed").count(), 1);
    }
}
