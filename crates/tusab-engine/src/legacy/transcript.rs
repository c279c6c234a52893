//! The transcripts of the Python app: text files of blocks, each a header and what is said from a second on.
//!
//! Read line by line, so that an empty field is an empty field. A rule of `=` begins a block only where a header follows
//! it, and a header ends only at a rule of `-` that `CONTEUDO` follows: both occur in what people say and write.

use tusab_chunk::{Date, MediaTime};
use tusab_ingest::VideoId;

/// Rules have 70 signs; shorter ones are tolerated down to this.
const RULE: usize = 50;

/// Most lines of a header: its fields, and a description of 500 characters.
const HEADER_LINES: usize = 120;

/// A transcript file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Transcript {
    /// What the file says the channel is called.
    pub(super) channel: Option<String>,
    pub(super) blocks: Vec<Block>,
    /// What was mended, for people, with the number of the line.
    pub(super) mended: Vec<(usize, String)>,
}

/// What is said in a video from a second on.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Where it begins in its file; the first line is 1.
    pub(super) line: usize,
    pub(super) title: String,
    pub(super) date: Option<Date>,
    pub(super) link: Option<String>,
    pub(super) video: Option<VideoId>,
    /// When it begins; older blocks do not say it.
    pub(super) start: Option<MediaTime>,
    /// Which part of a split segment it is; the first is 1.
    pub(super) part: u32,
    pub(super) tags: Vec<String>,
    pub(super) description: String,
    pub(super) text: String,
}

/// The fields of a header.
const FIELDS: [&str; 11] = [
    "TITULO",
    "ABA",
    "DATA",
    "LINK",
    "VIDEO_ID",
    "VIEWS",
    "TIMESTAMP_INICIO",
    "PARTE",
    "TOTAL_PARTES",
    "TAGS",
    "DESCRICAO",
];

/// Reads a transcript; any text can be read.
pub(super) fn parse(text: &str) -> Transcript {
    let text = text.replace('\u{feff}', "");
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let mut transcript = Transcript::default();
    let heads: Vec<Head> = (0..lines.len()).filter_map(|at| Head::at(&lines, at)).collect();
    let before = heads.first().map_or(lines.len(), |head| head.rule);
    transcript.channel = lines.get(..before).unwrap_or_default().iter().find_map(|line| attribution(line));
    for (number, head) in heads.iter().enumerate() {
        let end = heads.get(number + 1).map_or(lines.len(), |next| next.rule);
        let block = read_block(&lines, head, end, &mut transcript.mended);
        transcript.blocks.push(block);
    }
    let stray = |(at, line): (usize, &&str)| {
        let is_cut =
            line.starts_with("TITULO:") && at > 0 && lines.get(at - 1).is_some_and(|rule| is_rule(rule, '='));
        (is_cut && !heads.iter().any(|head| head.fields.contains(&at))).then_some(at)
    };
    for at in lines.iter().enumerate().filter_map(stray) {
        let what = "a header without CONTEUDO was taken for a part of the text before it";
        transcript.mended.push((at + 1, what.to_owned()));
    }
    transcript
}

/// The name of the channel, where a line of the attribution says it.
fn attribution(line: &str) -> Option<String> {
    let value =
        line.trim().strip_prefix('#')?.trim().strip_prefix("Canal")?.trim_start().strip_prefix(':')?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

fn is_rule(line: &str, sign: char) -> bool {
    let line = line.trim();
    line.len() >= RULE && line.chars().all(|c| c == sign)
}

/// Where a block's header is.
struct Head {
    rule: usize,
    fields: std::ops::Range<usize>,
    /// The line of `CONTEUDO`.
    content: usize,
}

impl Head {
    fn at(lines: &[&str], rule: usize) -> Option<Self> {
        if !is_rule(lines.get(rule)?, '=') {
            return None;
        }
        let first = next_filled(lines, rule + 1)?;
        if !lines.get(first)?.trim_start().starts_with("TITULO:") {
            return None;
        }
        for at in first + 1..lines.len().min(first + HEADER_LINES) {
            let line = lines.get(at)?;
            if is_rule(line, '=') && is_title(lines, at) {
                return None;
            }
            if is_rule(line, '-')
                && let Some(content) = next_filled(lines, at + 1)
                && lines.get(content)?.trim_start().starts_with("CONTEUDO")
            {
                return Some(Self { rule, fields: first..at, content });
            }
        }
        None
    }
}

fn is_title(lines: &[&str], rule: usize) -> bool {
    let next = next_filled(lines, rule + 1).and_then(|at| lines.get(at));
    next.is_some_and(|line| line.trim_start().starts_with("TITULO:"))
}

fn next_filled(lines: &[&str], from: usize) -> Option<usize> {
    (from..lines.len().min(from + 4)).find(|at| lines.get(*at).is_some_and(|line| !line.trim().is_empty()))
}

fn read_block(lines: &[&str], head: &Head, end: usize, mended: &mut Vec<(usize, String)>) -> Block {
    let mut values: [Option<String>; FIELDS.len()] = Default::default();
    let mut current = None;
    for at in head.fields.clone() {
        let line = lines.get(at).copied().unwrap_or_default();
        match field(line) {
            // The description comes last, and may say anything.
            Some((number, value)) if current != Some(FIELDS.len() - 1) => {
                current = Some(put(&mut values, number, value, at, mended));
            }
            _ if line.trim().is_empty() => {}
            _ => {
                let number = current.unwrap_or(0);
                if let Some(value) = values.get_mut(number) {
                    let value = value.get_or_insert_default();
                    value.push(if number == FIELDS.len() - 1 { '\n' } else { ' ' });
                    value.push_str(line.trim());
                }
            }
        }
    }
    let [title, _, date, link, video, _, start, part, _, tags, description] =
        values.map(Option::unwrap_or_default);
    let after = lines.get(head.content).copied().unwrap_or_default();
    let after = after.trim_start().trim_start_matches("CONTEUDO").trim_start_matches(':').trim();
    let said = lines.get(head.content + 1..end).unwrap_or_default();
    let text = std::iter::once(after).chain(said.iter().copied()).collect::<Vec<_>>().join("\n");
    let mut unread = |name: &str, value: &str| {
        mended.push((head.rule + 1, format!("{name} {value:?} cannot be read and was left out")));
    };
    let date_read = read_date(&date);
    if date_read.is_none() && !is_blank(&date) {
        unread("DATA", &date);
    }
    let start_read = read_seconds(&start);
    if start_read.is_none() && !is_blank(&start) {
        unread("TIMESTAMP_INICIO", &start);
    }
    Block {
        line: head.rule + 1,
        title: title.trim().to_owned(),
        date: date_read,
        video: video.parse().ok().or_else(|| video_of(&link)),
        link: (!link.is_empty()).then_some(link),
        start: start_read,
        part: part.parse().unwrap_or(0),
        tags: tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
        description: description.trim().to_owned(),
        text: text.trim().to_owned(),
    }
}

/// Puts a value into its field. One that begins with the name of another field is that field's, swallowed by a reader
/// that took an empty value to go on in the next line. Gives the field that was filled.
fn put(
    values: &mut [Option<String>; FIELDS.len()],
    number: usize,
    value: &str,
    at: usize,
    mended: &mut Vec<(usize, String)>,
) -> usize {
    let (number, value) = match field(value) {
        Some((swallowed, rest)) if number != 0 && swallowed > number => {
            let names = (FIELDS.get(number).unwrap_or(&""), FIELDS.get(swallowed).unwrap_or(&""));
            mended.push((at + 1, format!("{} had swallowed {}", names.0, names.1)));
            (swallowed, rest)
        }
        _ => (number, value),
    };
    if let Some(place) = values.get_mut(number)
        && place.is_none()
    {
        *place = Some(value.to_owned());
    }
    number
}

/// The number of a field and its value, of a line that begins with its name.
fn field(line: &str) -> Option<(usize, &str)> {
    let (name, value) = line.trim_start().split_once(':')?;
    let number = FIELDS.iter().position(|field| *field == name)?;
    Some((number, value.trim()))
}

fn is_blank(value: &str) -> bool {
    matches!(
        value.trim().to_lowercase().as_str(),
        "" | "na" | "n/a" | "none" | "-" | "desconhecida" | "sem data"
    )
}

/// `01/02/2024`, and the forms without and with `-` that older files have.
pub(crate) fn read_date(text: &str) -> Option<Date> {
    let text = text.trim();
    let number = |text: &str| text.parse::<u16>().ok();
    let byte = |text: &str| text.parse::<u8>().ok();
    let slashed: Vec<&str> = text.split('/').collect();
    if let [day, month, year] = slashed.as_slice() {
        return Date::new(number(year)?, byte(month)?, byte(day)?);
    }
    if text.len() == 8 && text.bytes().all(|it| it.is_ascii_digit()) {
        return Date::new(number(text.get(..4)?)?, byte(text.get(4..6)?)?, byte(text.get(6..)?)?);
    }
    text.get(..10).unwrap_or(text).parse().ok()
}

/// Seconds, whole or not, or `h:mm:ss`.
fn read_seconds(text: &str) -> Option<MediaTime> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    let (last, before) = parts.split_last()?;
    let whole =
        before.iter().try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))?;
    let (seconds, fraction) = last.split_once('.').unwrap_or((last, ""));
    let seconds = whole.checked_mul(60)?.checked_add(seconds.parse().ok()?)?;
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    Some(MediaTime::from_millis(seconds.checked_mul(1000)?.checked_add(millis.parse().ok()?)?))
}

/// The id in a link to a video.
fn video_of(link: &str) -> Option<VideoId> {
    let after =
        ["v=", "youtu.be/", "/shorts/", "/live/"].iter().find_map(|it| Some(link.split_once(it)?.1))?;
    after.get(..11)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(fields: &str, text: &str) -> String {
        format!("{}\n{fields}\n{}\nCONTEUDO:\n{text}\n", "=".repeat(70), "-".repeat(70))
    }

    #[test]
    fn a_block_is_read_field_by_field() {
        let text = block(
            "TITULO: Juros\nABA: Videos\nDATA: 05/03/2024\nLINK: https://www.youtube.com/watch?v=dQw4w9WgXcQ\n\
             VIDEO_ID: dQw4w9WgXcQ\nVIEWS: 10\nTIMESTAMP_INICIO: 105\nPARTE: 2\nTOTAL_PARTES: 3\n\
             TAGS: juros, dinheiro\nDESCRICAO: Uma aula",
            "O que se diz.\nE mais.",
        );
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            let [block] = &parse(&text).blocks[..] else { panic!() };
            assert_eq!((block.title.as_str(), block.part), ("Juros", 2));
            assert_eq!(block.date, Date::new(2024, 3, 5));
            assert_eq!(block.video.as_ref().map(VideoId::as_str), Some("dQw4w9WgXcQ"));
            assert_eq!(block.start, Some(MediaTime::from_seconds(105)));
            assert_eq!((block.tags.len(), block.description.as_str()), (2, "Uma aula"));
            assert_eq!(block.text, "O que se diz.\nE mais.");
        }
    }

    #[test]
    fn an_empty_field_is_empty_and_a_swallowed_one_is_given_back() {
        let fields = "TITULO: Sem tags\nABA: Videos\nDATA:\nLINK: https://youtu.be/dQw4w9WgXcQ\nTIMESTAMP_INICIO: 0\n\
                      TAGS:\nDESCRICAO: Diz algo";
        let read = parse(&block(fields, "x"));
        let [block_read] = &read.blocks[..] else { panic!() };
        assert_eq!((block_read.date, block_read.tags.len()), (None, 0));
        assert_eq!(block_read.description, "Diz algo");
        assert_eq!(block_read.video.as_ref().map(VideoId::as_str), Some("dQw4w9WgXcQ"));
        assert_eq!(read.mended, []);
        // What a reader with that fault has written again.
        let fields = "TITULO: x\nDATA: LINK: https://youtu.be/dQw4w9WgXcQ\nTAGS: DESCRICAO: Diz algo";
        let again = parse(&block(fields, "x"));
        assert_eq!(again.blocks[0].description, "Diz algo");
        assert_eq!(again.blocks[0].link.as_deref(), Some("https://youtu.be/dQw4w9WgXcQ"));
        assert_eq!((again.blocks[0].date, again.blocks[0].tags.len(), again.mended.len()), (None, 0, 2));
    }

    #[test]
    fn separators_in_what_is_said_or_described_split_nothing() {
        let (equals, dashes) = ("=".repeat(70), "-".repeat(70));
        let said = format!("antes\n{equals}\nmeio\n{dashes}\nTITULO: não é um título\nfim");
        let fields =
            format!("TITULO: A\nVIDEO_ID: dQw4w9WgXcQ\nDESCRICAO: uma\n{dashes}\nduas ||| três\nTAGS: não");
        let read = parse(&format!("{}{}", block(&fields, &said), block("TITULO: B", "outro")));
        let [a, b] = &read.blocks[..] else { panic!("{read:?}") };
        assert_eq!(a.text, said);
        assert!(a.description.ends_with("duas ||| três\nTAGS: não"), "{}", a.description);
        assert!(a.tags.is_empty());
        assert_eq!((b.title.as_str(), b.text.as_str()), ("B", "outro"));
    }

    #[test]
    fn the_attribution_is_no_block_and_a_cut_header_is_told() {
        let head = "# Canal: Finanças à mão\n# URL: https://www.youtube.com/@x\n# Inscritos: 10\n# Extraído em: hoje\n\n";
        let cut = format!("{}\nTITULO: cortado\nABA: Vid", "=".repeat(70));
        let read = parse(&format!("{head}{}{cut}", block("TITULO: A", "a")));
        assert_eq!(read.channel.as_deref(), Some("Finanças à mão"));
        assert_eq!((read.blocks.len(), read.mended.len()), (1, 1));
    }

    #[test]
    fn dates_and_times_in_their_forms() {
        for text in ["05/03/2024", "20240305", "2024-03-05", " 2024-03-05T10:00 "] {
            assert_eq!(read_date(text), Date::new(2024, 3, 5), "{text}");
        }
        for text in ["", "NA", "31/02/2024", "ontem", "99/99/9999", "a/b/c"] {
            assert_eq!(read_date(text), None, "{text}");
        }
        let time = |text| read_seconds(text).map(MediaTime::as_millis);
        assert_eq!(
            [time("0"), time("105"), time("1.5"), time("1:02:03")],
            [Some(0), Some(105_000), Some(1500), Some(3_723_000)]
        );
        assert_eq!([time(""), time("-1"), time("x"), time("99999999999999999999")], [None; 4]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([=\\-]{50,71}|TITULO: |CONTEUDO|TAGS:|\n|\r\n|.){0,60}") {
            let _ = parse(&text);
        }
    }
}
