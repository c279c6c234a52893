//! Chats exported from `WhatsApp`: shapes of our own making, and real files beside the project.

use std::fmt::Write;

use proptest::prelude::*;
use tusab_chunk::{Body, Chunker, Position, Windows};
use tusab_ingest::{
    Chat, ChatOptions, Content, DateEvidence, DateOrder, Error, Format, Message, MessageKind, Options,
    Parsed, Problem, parse, parse_whatsapp,
};

use crate::shared;

fn read(text: &str) -> Parsed<Chat> {
    parse_whatsapp(text, &ChatOptions::default()).unwrap()
}

type Line = (String, Option<String>, String);

fn line(message: &Message) -> Line {
    let time = message.time.map_or("-".to_owned(), |time| time.to_string());
    (time, message.sender.clone(), message.text.clone())
}

fn lines(chat: &Chat) -> Vec<Line> {
    chat.messages.iter().map(line).collect()
}

/// One conversation, as a phone would export it.
fn conversation(header: impl Fn(u8, u8, u8, u8) -> String, edge: &str) -> String {
    let said = [
        (13, 3, 9, 5, "Ana: Bom dia!\nTudo bem?"),
        (13, 3, 12, 0, "Rui Costa: Tudo: e você?"),
        (1, 4, 0, 30, "+55 11 98765-4321: a reunião é às 9:30 - não esqueçam"),
        (1, 4, 21, 29, "Rui Costa: 😀"),
    ];
    let mut text = String::new();
    for (day, month, hour, minute, said) in said {
        writeln!(text, "{edge}{}{said}", header(day, month, hour, minute)).unwrap();
    }
    text
}

fn expected() -> Vec<Line> {
    let line = |time: &str, name: &str, said: &str| (time.to_owned(), Some(name.to_owned()), said.to_owned());
    vec![
        line("2024-03-13T09:05:00", "Ana", "Bom dia!\nTudo bem?"),
        line("2024-03-13T12:00:00", "Rui Costa", "Tudo: e você?"),
        line("2024-04-01T00:30:00", "+55 11 98765-4321", "a reunião é às 9:30 - não esqueçam"),
        line("2024-04-01T21:29:00", "Rui Costa", "😀"),
    ]
}

/// An hour on a clock of twelve, and whether it is past noon.
fn twelve(hour: u8) -> (u8, bool) {
    (if hour.is_multiple_of(12) { 12 } else { hour % 12 }, hour >= 12)
}

#[test]
fn every_phone_tells_the_same_conversation() {
    let dates: [fn(u8, u8) -> String; 10] = [
        |d, m| format!("{d:02}/{m:02}/2024"),
        |d, m| format!("{d:02}/{m:02}/24"),
        |d, m| format!("{d}/{m}/24"),
        |d, m| format!("{d:02}.{m:02}.24"),
        |d, m| format!("{d:02}-{m:02}-2024"),
        |d, m| format!("{m}/{d}/24"),
        |d, m| format!("{m:02}/{d:02}/2024"),
        |d, m| format!("2024-{m:02}-{d:02}"),
        |d, m| format!("2024/{m:02}/{d:02}"),
        |d, m| format!("{d}. {m}. 2024"),
    ];
    let clocks: [fn(u8, u8) -> String; 9] = [
        |h, m| format!("{h:02}:{m:02}"),
        |h, m| format!("{h}:{m:02}"),
        |h, m| format!("{h:02}.{m:02}"),
        |h, m| format!("{h:02}:{m:02}:00"),
        |h, m| format!("{}:{m:02} {}", twelve(h).0, if twelve(h).1 { "PM" } else { "AM" }),
        |h, m| format!("{}:{m:02}\u{202f}{}", twelve(h).0, if twelve(h).1 { "PM" } else { "AM" }),
        |h, m| format!("{}:{m:02} {}", twelve(h).0, if twelve(h).1 { "p. m." } else { "a. m." }),
        |h, m| {
            format!("{}:{m:02}\u{a0}{}", twelve(h).0, if twelve(h).1 { "p.\u{a0}m." } else { "a.\u{a0}m." })
        },
        |h, m| format!("{}:{m:02}{}", twelve(h).0, if twelve(h).1 { "pm" } else { "am" }),
    ];
    let frames: [fn(&str, &str) -> String; 6] = [
        |date, time| format!("{date}, {time} - "),
        |date, time| format!("{date} {time} - "),
        |date, time| format!("{date}, {time} – "),
        |date, time| format!("[{date}, {time}] "),
        |date, time| format!("[{date} {time}] "),
        |date, time| format!("[{time}, {date}] "),
    ];
    for date in dates {
        for clock in clocks {
            for frame in frames {
                for edge in ["", "\u{200e}"] {
                    let text = conversation(|d, mo, h, m| frame(&date(d, mo), &clock(h, m)), edge);
                    for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
                        assert_eq!(Format::detect("conversa.txt", &text), Format::WhatsApp, "{text}");
                        let parsed = read(&text);
                        assert_eq!(lines(&parsed.value), expected(), "{text}");
                        assert_eq!(
                            (parsed.value.date_evidence, parsed.warnings),
                            (DateEvidence::Proven, vec![]),
                            "{text}"
                        );
                        assert_eq!(parsed.value.participants, ["Ana", "Rui Costa", "+55 11 98765-4321"]);
                    }
                }
            }
        }
    }
}

#[test]
fn what_the_system_writes_is_told_from_what_people_write() {
    use MessageKind::{Attached, Deleted, Notice, Omitted, Poll, Text};
    let android = "\
01/02/24 09:00 - As mensagens e as chamadas são protegidas com a criptografia de ponta a ponta.
01/02/24 09:00 - Ana criou o grupo \"Obra: fase 1\"
01/02/24 09:01 - Ana adicionou Rui
01/02/24 09:02 - Rui: <Mídia oculta>
01/02/24 09:03 - Rui: IMG-20240201-WA0001.jpg (arquivo anexado)
a planta nova
01/02/24 09:04 - Ana: Mensagem apagada
01/02/24 09:05 - Ana: ficou bom <Mensagem editada>
01/02/24 09:06 - Ana: ENQUETE:
Que dia?
OPÇÃO: sábado (2 votos)
01/02/24 09:07 - Rui saiu
20/02/24 09:08 - Ana:
linha de baixo
";
    let chat = read(android).value;
    let told: Vec<_> = chat
        .messages
        .iter()
        .map(|m| (m.sender.as_deref(), m.kind, m.edited, m.text.lines().next().unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            (
                None,
                Notice,
                false,
                "As mensagens e as chamadas são protegidas com a criptografia de ponta a ponta."
            ),
            (None, Notice, false, "Ana criou o grupo \"Obra: fase 1\""),
            (None, Notice, false, "Ana adicionou Rui"),
            (Some("Rui"), Omitted, false, "<Mídia oculta>"),
            (Some("Rui"), Attached, false, "IMG-20240201-WA0001.jpg (arquivo anexado)"),
            (Some("Ana"), Deleted, false, "Mensagem apagada"),
            (Some("Ana"), Text, true, "ficou bom"),
            (Some("Ana"), Poll, false, "ENQUETE:"),
            (None, Notice, false, "Rui saiu"),
            (Some("Ana"), Text, false, "linha de baixo"),
        ]
    );
    assert_eq!(chat.participants, ["Rui", "Ana"]);
    let turns = chat.turns();
    assert_eq!(turns.len(), 8, "neither the picture that is not there nor the deleted message");
    assert_eq!(turns[3].text, "IMG-20240201-WA0001.jpg (arquivo anexado)\na planta nova");

    let ios = "\
[13/02/24, 09:00:00] Obra: \u{200e}As mensagens e as chamadas são protegidas com a criptografia de ponta a ponta.
[13/02/24, 09:00:01] Obra: \u{200e}Ana criou este grupo
\u{200e}[13/02/24, 09:01:00] ~\u{202f}Rui: \u{200e}imagem ocultada
[13/02/24, 09:02:00] Ana: \u{200e}Rui adicionou você
[13/02/24, 09:03:00] Ana: oi\u{200e}
";
    let chat = read(ios).value;
    let told: Vec<_> = chat.messages.iter().map(|m| (m.sender.as_deref(), m.kind, m.text.as_str())).collect();
    assert_eq!(
        told[1..],
        [
            (None, Notice, "Ana criou este grupo"),
            (Some("~\u{202f}Rui"), Omitted, "imagem ocultada"),
            (None, Notice, "Rui adicionou você"),
            (Some("Ana"), Text, "oi"),
        ]
    );
    assert_eq!(chat.participants, ["~\u{202f}Rui", "Ana"]);
}

#[test]
fn the_order_of_dates_is_that_of_the_whole_file() {
    let text = "02/03/24, 10:00 - Ana: um\n05/03/24, 10:00 - Ana: dois\n";
    let parsed = read(text);
    assert_eq!(
        (parsed.value.date_order, parsed.value.date_evidence),
        (DateOrder::DayMonthYear, DateEvidence::Assumed)
    );
    assert_eq!(
        parsed.warnings[0].to_string(),
        "the dates may be read in more than one order; read as day, month, year: if that is wrong, say the order"
    );
    let given = ChatOptions::default().with_date_order(Some(DateOrder::MonthDayYear));
    let parsed = parse_whatsapp(text, &given).unwrap();
    assert_eq!((parsed.value.date_evidence, parsed.warnings), (DateEvidence::Given, vec![]));
    assert_eq!(line(&parsed.value.messages[0]).0, "2024-02-03T10:00:00");
    let options = Options::default().with_date_order(Some(DateOrder::MonthDayYear));
    let Content::Chat(chat) = parse("a.txt", text.as_bytes(), &options).unwrap().value.content else {
        panic!()
    };
    assert_eq!(line(&chat.messages[0]).0, "2024-02-03T10:00:00");

    // One date that cannot be in the order of all the others keeps its message, not its time.
    let odd = parse_whatsapp("01/13/24, 10:00 - Ana: um\n31/01/24, 10:00 - Ana: dois\n", &given).unwrap();
    assert_eq!(odd.value.messages[1].time, None);
    assert_eq!(odd.warnings[0].line.map(std::num::NonZeroU32::get), Some(2));
    assert!(
        matches!(&odd.warnings[0].problem, Problem::ImpossibleDate { date } if date.starts_with("31/01/24"))
    );
}

#[test]
fn nothing_is_lost_above_and_between_messages() {
    let text = "Conversa com Ana\n\n12/03/24, 14:32 - Ana: veja\n\n[10/03, 9:00] Rui: antes\n\n> citação\n13/03/24, 14:33 - Ana: fim\n\n";
    let chat = read(text).value;
    let told = lines(&chat);
    assert_eq!(told[0], ("-".into(), None, "Conversa com Ana".into()));
    assert_eq!(told[1].2, "veja\n\n[10/03, 9:00] Rui: antes\n\n> citação");
    assert_eq!(told[2].2, "fim");
    assert!(matches!(parse_whatsapp("oi\ntudo bem?", &ChatOptions::default()), Err(Error::NotWhatsApp)));
}

#[test]
fn a_chat_becomes_turns_with_times_and_speakers() {
    let text = "13/03/24, 14:32 - Ana: Que horas é a reunião?\n13/03/24, 14:35 - Bruno: Às nove.\n";
    let source =
        parse("Conversa do WhatsApp com Bruno.txt", text.as_bytes(), &Options::default()).unwrap().value;
    let document = source.into_document("file:a".parse().unwrap(), "Conversa");
    assert!(matches!(&document.body, Body::Turns(turns) if turns.len() == 2));
    let chunks = Windows::default().chunks(&document);
    assert_eq!(chunks[0].original_text(), "Ana: Que horas é a reunião?\nBruno: Às nove.");
    assert_eq!(chunks[0].speakers(), ["Ana", "Bruno"]);
    assert!(
        matches!(chunks[0].position(), Position::Local(span) if span.start().to_string() == "2024-03-13T14:32:00")
    );
    let stored = serde_json::to_string(&read(text).value).unwrap();
    assert_eq!(serde_json::from_str::<Chat>(&stored).unwrap(), read(text).value);
}

/// A message of the property test: minutes since the one before, sender, lines.
type Drawn = (u32, usize, Vec<&'static str>);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let line = prop::sample::select(vec![
        "oi",
        "tudo: certo",
        "10:30",
        "12/03",
        "[ok]",
        "- item",
        "a\u{200d}b 😀",
        "<3",
        "http://localhost/x",
        "2024",
        "não, às 9:30 - sim",
    ]);
    let lines = prop::collection::vec(line, 1..4);
    prop::collection::vec((0_u32..3000, 0_usize..4, lines), 2..40)
}

proptest! {
    #[test]
    fn every_message_comes_back(messages in drawn(), shape in 0_usize..4, break_ in prop::sample::select(vec!["\n", "\r\n"])) {
        let names = ["Ana", "Rui Costa", "+55 11 98765-4321", "~ Zé (obra)"];
        // From a day over 12 on, so that the order is known.
        let mut minute = 12 * 24 * 60;
        let mut text = String::new();
        let mut expected = Vec::new();
        for (number, (passed, name, lines)) in messages.into_iter().enumerate() {
            // Who always begins with the same word and a colon has, as far as a file tells, that name.
            let first = format!("{number} {}", lines[0]);
            let mut lines: Vec<&str> = lines.into_iter().collect();
            lines[0] = &first;
            minute += passed;
            let (day, hour, min) = (minute / 1440, minute / 60 % 24, minute % 60);
            let (month, day) = (1 + day / 28, 1 + day % 28);
            let twelve = if hour.is_multiple_of(12) { 12 } else { hour % 12 };
            let half = if hour < 12 { "a. m." } else { "p. m." };
            let start = match shape {
                0 => format!("{day:02}/{month:02}/2024 {hour:02}:{min:02} - "),
                1 => format!("{month}/{day}/24, {twelve}:{min:02}\u{202f}{half} - "),
                2 => format!("\u{200e}[{day:02}.{month:02}.24, {hour:02}:{min:02}:00] "),
                _ => format!("[2024-{month:02}-{day:02}, {twelve}:{min:02}:00 {half}] "),
            };
            let name = names[name];
            write!(text, "{start}{name}: {}{break_}", lines.join(break_)).unwrap();
            expected.push((format!("2024-{month:02}-{day:02}T{hour:02}:{min:02}:00"), Some(name.to_owned()), lines.join("\n")));
        }
        let parsed = read(&text);
        prop_assert_eq!(lines(&parsed.value), expected);
    }
}

#[test]
fn clocks_and_digits_of_many_tongues() {
    for (start, time) in [
        ("13/03/24, 2:32 da tarde - ", "2024-03-13T14:32:00"),
        ("13/03/24, 9:32 da noite - ", "2024-03-13T21:32:00"),
        ("13/03/24, 12:10 da madrugada - ", "2024-03-13T00:10:00"),
        ("13/03/24 9:15 de la mañana - ", "2024-03-13T09:15:00"),
        ("13.03.2024 ÖS 9:58 - ", "2024-03-13T21:58:00"),
        ("13.03.2024 ÖÖ 12:05 - ", "2024-03-13T00:05:00"),
        ("13/3/24, 9:58 अपराह्न - ", "2024-03-13T21:58:00"),
        ("१३/३/२४, ९:५८ pm - ", "2024-03-13T21:58:00"),
        ("١٣/٠٣/٢٠٢٤، ٩:٥٨ م - ", "2024-03-13T21:58:00"),
        ("\u{200f}[١٣\u{200f}/٣\u{200f}/٢٠٢٤، ٩:٥٨:٠٤ ص] ", "2024-03-13T09:58:04"),
        ("۱۳/۳/۲۰۲۴، ۹:۵۸ ب.ظ. - ", "2024-03-13T21:58:00"),
        ("2024/3/13 晚上9:58 - ", "2024-03-13T21:58:00"),
        ("2024/3/13 中午1:05 - ", "2024-03-13T13:05:00"),
        ("2024/3/13 中午11:55 - ", "2024-03-13T11:55:00"),
        ("2024/3/13 凌晨12:05 - ", "2024-03-13T00:05:00"),
        ("[2024/03/13 午後10:02:06] ", "2024-03-13T22:02:06"),
        ("13.3.2024, 9:58 אחה״צ - ", "2024-03-13T21:58:00"),
        ("13. 03. 2024. 21:58 - ", "2024-03-13T21:58:00"),
        ("13.03.2024 г., 21:58 ч. - ", "2024-03-13T21:58:00"),
        ("13.03.24 um 21:58 Uhr - ", "2024-03-13T21:58:00"),
        ("[13/03/2024 à 21:58:03] ", "2024-03-13T21:58:03"),
    ] {
        let text = format!("{start}Ana: oi\n{start}Rui: oi\n");
        assert_eq!(Format::detect("a.txt", &text), Format::WhatsApp, "{start}");
        let told =
            [Some("Ana"), Some("Rui")].map(|name| (time.to_owned(), name.map(str::to_owned), "oi".into()));
        assert_eq!(lines(&read(&text).value), told, "{start}");
    }
}

#[test]
fn what_the_system_writes_in_more_tongues() {
    use MessageKind::{Attached, Deleted, Notice, Omitted, Poll, Text};
    let android = |said: &str| {
        read(&format!("13/03/24, 21:58 - Ana: oi\n13/03/24, 21:58 - {said}\n")).value.messages.remove(1)
    };
    let ios = |said: &str| {
        read(&format!("[13/03/24, 21:58:00] Ana: oi\n[13/03/24, 21:58:00] {said}\n")).value.messages.remove(1)
    };
    for (said, kind) in [
        ("Chloé a créé le groupe « Vacances : été »", Notice),
        ("Chloé a changé le nom du groupe de \"Vacances: été\" en \"Plage\"", Notice),
        ("Oma hat den Gruppennamen von „Kuchen: lecker“ zu „Torte“ geändert.", Notice),
        ("Giulia ha cambiato l'oggetto da \"a: b\" a \"c\"", Notice),
        ("Ayşe, \"a: b\" olan grup adını \"c\" olarak değiştirdi", Notice),
        ("Ana: ele disse \"vem: já\"", Text),
        ("Ana: <Medya dahil edilmedi>", Omitted),
        ("Ana: <تم استبعاد الوسائط>", Omitted),
        ("Ana: <मीडिया के बिना>", Omitted),
        ("Ana: <メディアは含まれていません>", Omitted),
        ("Ana: <View once voice message omitted>", Omitted),
        ("Ana: null", Omitted),
        ("Ana: Dit bericht is verwijderd", Deleted),
        ("Ana: このメッセージは削除されました。", Deleted),
        ("Ana: Esta mensagem foi eliminada", Deleted),
        ("Ana: foto.jpg (bestand bijgevoegd)", Attached),
        ("Ana: SONDAGE :\nQuel jour ?", Poll),
    ] {
        assert_eq!(android(said).kind, kind, "{said}");
    }
    for (said, kind) in [
        ("Rui: \u{200e}image absente", Omitted),
        ("Rui: \u{200e}GIF retiré", Omitted),
        ("Rui: \u{200e}sticker non incluso", Omitted),
        ("Rui: \u{200e}afbeelding weggelaten", Omitted),
        ("Rui: \u{200e}görüntü dahil edilmedi", Omitted),
        ("Rui: \u{200f}لم يتم إدراج الصورة", Omitted),
        ("Rui: \u{200e}画像は含まれていません", Omitted),
        ("Rui: \u{200e}Kontaktkarte ausgelassen", Omitted),
        (
            "Rui: \u{200e}You received a view once message. For added privacy, you can only open it on your phone.",
            Omitted,
        ),
        ("Rui: \u{200e}<pièce jointe : 00000012-PHOTO-2024-03-13.jpg>", Attached),
        ("Rui: \u{200e}Rui a ajouté Ana", Notice),
        ("Rui: Rui é meu nome", Text),
    ] {
        assert_eq!(ios(said).kind, kind, "{said}");
    }
    let edited = ios("Rui: on y va ? \u{200e}<Diesen Satz kennt hier niemand>");
    assert_eq!((edited.text.as_str(), edited.edited), ("on y va ?", true));
    let caption = ios("Rui: veja \u{200e}<attached: 00000012-PHOTO-2024-03-13.jpg>");
    assert!(!caption.edited && caption.kind == Attached);
}

/// In a language of which no phrase is known.
#[test]
fn the_first_notice_on_ios_is_known_by_its_place() {
    let notice = "Meddelanden och samtal är totalsträckskrypterade. Endast personer i chatten kan läsa dem.";
    let group = format!("[2024-03-13, 21:58:04] Resa: \u{200e}{notice}\n[2024-03-13, 21:58:05] Åsa: hej\n");
    assert_eq!(read(&group).value.participants, ["Åsa"]);
    let two = group.replace("Resa", "Åsa");
    let chat = read(&two).value;
    assert_eq!(chat.participants, ["Åsa"]);
    assert_eq!(chat.messages.iter().map(|m| m.sender.is_some()).collect::<Vec<_>>(), [false, true]);
    let short = group.replace(notice, "bild utesluten");
    assert_eq!(read(&short).value.participants, ["Resa", "Åsa"]);
}

#[test]
fn lines_pasted_into_a_message_stay_there() {
    let said = |n: u8| format!("12/03/24, 14:{n} - Ana: {n}\n");
    let pasted = "12/03/24, 14:09 - Rui: agenda:\n15/03/24 14:00 - reunião\n[10/03/24, 09:00:00] Zé: oi\n";
    let text = said(10) + pasted + &(11..14).map(said).collect::<String>();
    let chat = read(&text).value;
    assert_eq!(chat.participants, ["Ana", "Rui"]);
    assert_eq!(chat.messages.len(), 5);
    // Two exports put together are not.
    let two = (10..14).map(said).collect::<String>() + "[13/03/24, 09:00:00] Zé: oi\n";
    assert_eq!(read(&two).value.participants, ["Ana", "Zé"]);
}

#[test]
fn short_chats_and_introductions_are_chats() {
    for text in [
        "12/03/24, 14:32 - Ana: oi\n12/03/24, 14:33 - Rui: oi\n",
        "12/03/24, 10:00 - Ana: oi\n12/03/24, 10:01 - Rui: oi\n12/03/24, 10:02 - Zé: oi\n12/03/24, 10:03 - Lia: oi\n12/03/24, 10:04 - Bia: oi\n",
        "Conversa do WhatsApp\n\n[12/03/24, 10:00:00] Ana: oi\n[12/03/24, 10:01:00] Rui: oi\n",
    ] {
        assert_eq!(Format::detect("a.md", text), Format::WhatsApp, "{text:?}");
    }
}

#[test]
fn other_texts_are_no_chats() {
    for text in [
        "Ata de 12/03/24, 14:32 - presentes: Ana e Rui.\n\nTexto.",
        "12/03/2024, 14:32 - reunião: começo\n\nDepois disso, nada.\n",
        "2024-03-12 14:32:05 - INFO: started\n2024-03-12 14:32:06 - ERROR: stopped\n2024-03-12 14:32:07 - INFO: again\n",
        "[2024-03-12 14:32:05] app.ERROR: um\n[2024-03-12 14:32:06] app.INFO: dois\n",
        "12/03/24 10:00 - Abertura: João\n12/03/24 10:30 - Contas: Maria\n12/03/24 11:00 - Obras: Rui\n12/03/24 12:00 - Almoço: todos\n12/03/24 14:00 - Fim: Ana\n",
        "1.2.3 4:56 - nada\n",
        "# Diário\n\n- 12/03/24, 14:32 - fui ao mercado: comprei pão\n- 13/03/24, 14:32 - fui de novo: comprei leite\n",
        "12:30 - Ana: oi\n12:31 - Rui: oi\n",
        "Ata\n\n12/03/2024, 14:00 - Início: todos presentes\n12/03/2024, 15:00 - Fim: encerramento\n",
        "",
    ] {
        for name in ["a.txt", "a.md"] {
            assert_ne!(Format::detect(name, text), Format::WhatsApp, "{text:?}");
        }
    }
}

/// Messages, senders with their counts, order, evidence; read off each file by eye and counted again by other means.
type Row = (&'static str, usize, &'static [(&'static str, usize)], DateOrder, bool);

/// The four of one conversation in four shapes.
const DOE: &[(&str, usize)] =
    &[("John Doe", 2), ("Jahn Doe", 1), ("John-John Doe", 1), ("John Doe 🤓", 1), ("🤓", 1)];

fn table() -> Vec<Row> {
    use DateOrder::{DayMonthYear, MonthDayYear};
    vec![
        ("chat-analytics.2A_5M.txt", 5, &[("A", 3), ("B", 2)], DayMonthYear, false),
        (
            "chat-analytics.4A_11M.txt",
            14,
            &[("Bob", 2), ("Eve", 2), ("Alice", 3), ("Mallory", 2), ("Trent", 2)],
            DayMonthYear,
            true,
        ),
        ("chatminer.test_br-mmddyy_24hrs.txt", 9, DOE, MonthDayYear, false),
        ("chatminer.test_ddmmyy_24hrs.txt", 9, DOE, DayMonthYear, false),
        ("chatminer.test_mmddyy_24hrs.txt", 9, DOE, MonthDayYear, false),
        ("chatminer.test_mmddyyyy_12hrs.txt", 9, DOE, MonthDayYear, false),
        ("indexed-69459170186.android_en.txt", 5, &[("Pepe", 2), ("Jenni", 2)], MonthDayYear, false),
        (
            "indexed-69459170186.ios_en_group.txt",
            8,
            &[("Pepe", 1), ("Ana", 4), ("Jenni", 1)],
            MonthDayYear,
            false,
        ),
        ("locket.whatsapp_android.txt", 8, &[("John", 3), ("Sarah", 3)], MonthDayYear, false),
        ("locket.whatsapp_ios.txt", 3, &[("John", 2), ("Sarah", 1)], DayMonthYear, false),
        ("memoria.whatsapp_android.txt", 4, &[("NICO", 3), ("Ana", 1)], DayMonthYear, true),
        ("memoria.whatsapp_ios.txt", 5, &[("Nico", 3), ("María", 2)], DayMonthYear, true),
        ("memoria.whatsapp_ios_bom.txt", 3, &[("Nico", 2), ("Bot", 1)], DayMonthYear, true),
        (
            "rwhatsapp.sample.en-GB.android.txt",
            9,
            &[("Johannes Gruber", 6), ("Test", 1)],
            DayMonthYear,
            false,
        ),
    ]
}

fn real(file: &str) -> Option<(String, Parsed<Chat>)> {
    let bytes = shared(&format!("whatsapp/{file}"))?;
    let source = parse(file, &bytes, &Options::default()).unwrap();
    assert_eq!(source.value.format, Format::WhatsApp, "{file}");
    let parsed = source.map(|source| match source.content {
        Content::Chat(chat) => chat,
        other => panic!("{file}: {other:?}"),
    });
    Some((String::from_utf8(bytes).unwrap(), parsed))
}

fn counts(chat: &Chat) -> Vec<(&str, usize)> {
    let count = |name: &str| chat.messages.iter().filter(|m| m.sender.as_deref() == Some(name)).count();
    chat.participants.iter().map(|name| (name.as_str(), count(name))).collect()
}

#[test]
fn every_real_chat_gives_what_stands_in_it() {
    for (file, messages, senders, order, ambiguous) in table() {
        let Some((_, parsed)) = real(file) else { return };
        let chat = parsed.value;
        assert_eq!(chat.messages.len(), messages, "{file}");
        assert_eq!(counts(&chat), senders, "{file}");
        assert_eq!(chat.date_order, order, "{file}");
        assert_eq!(chat.date_evidence == DateEvidence::Assumed, ambiguous, "{file}");
        assert_eq!(parsed.warnings.len(), usize::from(ambiguous), "{file}: {:?}", parsed.warnings);
        assert!(chat.messages.iter().all(|message| message.time.is_some()), "{file}");
    }
}

/// The generated chats have one message a line, none of the system.
#[test]
fn long_real_chats_are_counted_by_other_means() {
    for (file, separator, order, date) in [
        ("whatstk.lorem.txt", "] ", DateOrder::DayMonthYear, "2020-01-15T02:22:56"),
        ("whatstk.lorem-merge-part1.txt", " - ", DateOrder::YearMonthDay, "2019-10-20T10:16:00"),
        ("locket.demo.sarah.txt", " - ", DateOrder::MonthDayYear, "2025-01-10T08:15:00"),
    ] {
        let Some((text, parsed)) = real(file) else { return };
        let chat = parsed.value;
        assert_eq!((chat.date_order, parsed.warnings), (order, vec![]), "{file}");
        assert_eq!(line(&chat.messages[0]).0, date);
        let mut told = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if !line.starts_with(|c: char| c.is_ascii_digit() || c == '[') {
                let (_, said): &mut (String, String) = told.last_mut().unwrap();
                write!(said, "\n{line}").unwrap();
                continue;
            }
            let (_, rest) = line.split_once(separator).unwrap();
            let (name, said) = rest.split_once(": ").unwrap();
            told.push((name.to_owned(), said.trim().to_owned()));
        }
        let found: Vec<_> =
            chat.messages.iter().map(|m| (m.sender.clone().unwrap(), m.text.clone())).collect();
        assert_eq!(found, told, "{file}");
        assert!(found.len() > 100, "{file}: {}", found.len());
    }
}

#[test]
fn another_parsers_expectation_is_met() {
    let Some(target) = shared("whatsapp/chatminer.target.json") else { return };
    let target: Vec<serde_json::Value> = serde_json::from_slice(&target).unwrap();
    let text =
        |value: &serde_json::Value| value.as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    // It lists the latest message first.
    let mut expected: Vec<_> =
        target.iter().map(|m| (text(&m["timestamp"]), text(&m["author"]), text(&m["message"]))).collect();
    expected.reverse();
    for file in ["test_br-mmddyy_24hrs", "test_ddmmyy_24hrs", "test_mmddyy_24hrs", "test_mmddyyyy_12hrs"] {
        let Some((_, parsed)) = real(&format!("chatminer.{file}.txt")) else { return };
        let sent = parsed.value.messages.iter().filter(|message| message.sender.is_some());
        let found: Vec<_> = sent
            .map(|m| {
                let said = m.text.split_whitespace().collect::<Vec<_>>().join(" ");
                (m.time.unwrap().to_string(), m.sender.clone().unwrap(), said)
            })
            .collect();
        assert_eq!(found, expected, "{file}");
    }
}
