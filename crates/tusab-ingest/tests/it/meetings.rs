//! Transcripts of meetings: shapes of our own making, and real files beside the project.

use std::fmt::Write;

use tusab_chunk::{Body, Chunker, Position, Windows};
use tusab_ingest::{
    Content, Error, Format, Meeting, MeetingTurn, Options, Parsed, Platform, parse, parse_meeting,
};

use crate::shared;

type Told = (Option<String>, Option<(u64, u64)>, String);

fn told(meeting: &Meeting) -> Vec<Told> {
    let span = |turn: &tusab_ingest::MeetingTurn| {
        turn.span().map(|span| (span.start().as_millis(), span.end().as_millis()))
    };
    meeting.turns.iter().map(|turn| (turn.speaker.clone(), span(turn), turn.text())).collect()
}

fn line(name: &str, start: u64, end: u64, said: &str) -> Told {
    (Some(name.to_owned()), Some((start, end)), said.to_owned())
}

#[test]
fn one_meeting_as_every_program_saves_it() {
    let both = [
        ("Ana Lima", "Vamos começar."),
        ("Ana Lima", "O prazo é sexta."),
        ("Rui Costa", "Sexta? Não dá: é cedo."),
    ];
    let times = [(1000, 4000), (4000, 9000), (9000, 12_000)];
    let clock = |ms: u64| format!("00:00:{:02}.{:03}", ms / 1000, ms % 1000);
    let mut zoom = String::from("WEBVTT\r\n\r\n");
    let mut teams = String::from("WEBVTT\n\n");
    let mut sheet = String::new();
    for (number, ((name, said), (start, end))) in (1..).zip(both.iter().zip(times)) {
        let (start, end) = (clock(start), clock(end));
        write!(zoom, "{number}\r\n{start} --> {end}\r\n{name}: {said}\r\n\r\n").unwrap();
        write!(teams, "{start} --> {end}\n<v {name}>{said}</v>\n\n").unwrap();
        write!(
            sheet,
            "0:0:{} --> 0:0:{}\n{name}\n{said}\n\n",
            start.trim_start_matches("00:00:"),
            end.trim_start_matches("00:00:")
        )
        .unwrap();
    }
    let spoken = [
        line("Ana Lima", 1000, 9000, "Vamos começar. O prazo é sexta."),
        line("Rui Costa", 9000, 12_000, "Sexta? Não dá: é cedo."),
    ];
    for (text, platform) in [(&zoom, Platform::Zoom), (&teams, Platform::Teams), (&sheet, Platform::Teams)] {
        assert_eq!(Format::detect("a.txt", text), Format::Meeting, "{text}");
        let meeting = parse_meeting(text).unwrap();
        assert_eq!((told(&meeting.value), meeting.warnings), (spoken.to_vec(), vec![]), "{text}");
        assert_eq!(
            (meeting.value.platform, meeting.value.speakers),
            (platform, vec!["Ana Lima".into(), "Rui Costa".into()])
        );
    }
    let starts = [
        line("Ana Lima", 1000, 9000, "Vamos começar. O prazo é sexta."),
        line("Rui Costa", 9000, 9000, "Sexta? Não dá: é cedo."),
    ];
    for (text, platform) in [
        (
            "Ana Lima  0:01\nVamos começar.\nO prazo é sexta.\n\nRui Costa  0:09\nSexta? Não dá: é cedo.\n\nTranscribed by https://otter.ai\n",
            Platform::Otter,
        ),
        (
            "Ana Lima   0:01\nVamos começar. O prazo é sexta.\n\nRui Costa   0:09\nSexta? Não dá: é cedo.\n",
            Platform::Teams,
        ),
        (
            "[Ana Lima] 00:00:01\nVamos começar.\n\n[Ana Lima] 00:00:04\nO prazo é sexta.\n\n[Rui Costa] 00:00:09\nSexta? Não dá: é cedo.\n",
            Platform::Zoom,
        ),
        (
            "[00:01] Ana Lima: Vamos começar.\n[00:04] Ana Lima: O prazo é sexta.\n[00:09] Rui Costa: Sexta? Não dá: é cedo.\n",
            Platform::Other,
        ),
    ] {
        assert_eq!(Format::detect("a.txt", text), Format::Meeting, "{text}");
        assert_eq!(Format::detect("a.md", text), Format::Meeting, "{text}");
        let meeting = parse_meeting(text).unwrap().value;
        assert_eq!((told(&meeting), meeting.platform), (starts.to_vec(), platform), "{text}");
    }
    let meet = "Reunião de obra (2024-03-12 14:00 GMT-3) - Transcrição\n\nParticipantes\nAna Lima, Rui Costa\n\nTranscrição\n\n00:00:00\n\n\
                Ana Lima: Vamos começar.\nAna Lima: O prazo é sexta.\n\n00:05:00\n\nRui Costa: Sexta? Não dá: é cedo.\n";
    assert_eq!(Format::detect("a.txt", meet), Format::Meeting);
    let meeting = parse_meeting(meet).unwrap().value;
    assert_eq!(meeting.platform, Platform::GoogleMeet);
    let told = told(&meeting);
    assert_eq!(told[0].0, None);
    assert!(told[0].2.contains("Reunião de obra") && told[0].1.is_none());
    assert_eq!(
        told[1..],
        [
            line("Ana Lima", 0, 0, "Vamos começar. O prazo é sexta."),
            line("Rui Costa", 300_000, 300_000, "Sexta? Não dá: é cedo.")
        ]
    );
    let sbv = "0:00:01.000,0:00:04.000\nAna Lima: oi\n\n0:00:09.000,0:00:12.000\nRui Costa: olá\n";
    assert_eq!(Format::detect("chat.sbv", sbv), Format::Meeting);
    assert_eq!(parse_meeting(sbv).unwrap().value.platform, Platform::GoogleMeet);
}

#[test]
fn a_cue_without_a_name_goes_on_with_the_one_before() {
    let vtt = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nAna: olha\n\n2\n00:02.000 --> 00:03.000\ne o resultado: nada\n\n3\n\
               00:03.000 --> 00:04.000\nrui: sim\n\n4\n00:04.000 --> 00:05.000\nrui: pois\n";
    let meeting = parse_meeting(vtt).unwrap().value;
    assert_eq!(
        told(&meeting),
        [line("Ana", 1000, 3000, "olha e o resultado: nada"), line("rui", 3000, 5000, "sim pois")]
    );
}

#[test]
fn many_people_who_speak_little_are_a_meeting() {
    let names = ["Ana", "Rui", "Zé", "Lia", "Bia", "Ivo", "Ana"];
    let mut otter = String::new();
    let mut zoom = String::from("WEBVTT\n\n");
    for (second, name) in names.iter().enumerate() {
        write!(otter, "{name}  0:0{second}\nsou {name}\n\n").unwrap();
        write!(zoom, "00:0{second}.000 --> 00:0{second}.900\n{name}: sou {name}\n\n").unwrap();
    }
    for text in [otter, zoom] {
        assert_eq!(Format::detect("", &text), Format::Meeting, "{text}");
        let meeting = parse_meeting(&text).unwrap().value;
        assert_eq!((meeting.turns.len(), meeting.speakers.len()), (7, 6), "{text}");
    }
}

#[test]
fn a_chat_keeps_its_messages_and_their_lines() {
    let tabs = "00:13:46\tPotuz:\tgm\r\n00:14:22\tKalo | Obol:\tReplying to \"gm\"\r\n\r\nolá\r\n00:14:23\tKalo | Obol:\tde novo\r\n";
    let words = "14:05:33 From Ana Lima to Everyone:\n\toi\n\ttudo bem?\n14:05:40 From Rui to Ana Lima (Direct Message):\n\tsim\n";
    assert_eq!(
        (Format::detect("chat.txt", tabs), Format::detect("chat.txt", words)),
        (Format::Meeting, Format::Meeting)
    );
    let meeting = parse_meeting(tabs).unwrap().value;
    assert_eq!(
        told(&meeting),
        [
            line("Potuz", 826_000, 826_000, "gm"),
            line("Kalo | Obol", 862_000, 862_000, "Replying to \"gm\"\nolá"),
            line("Kalo | Obol", 863_000, 863_000, "de novo"),
        ]
    );
    let meeting = parse_meeting(words).unwrap().value;
    assert_eq!(
        (meeting.platform, meeting.speakers.as_slice()),
        (Platform::ZoomChat, ["Ana Lima".to_owned(), "Rui".into()].as_slice())
    );
    assert_eq!(meeting.turns[0].text(), "oi\ntudo bem?");
}

#[test]
fn long_speeches_keep_the_times_of_their_pieces() {
    let mut vtt = String::from("WEBVTT\n\n");
    for second in 0..50_u64 {
        write!(
            vtt,
            "00:{second:02}.000 --> 00:{second:02}.900\nAna: esta é a frase de número {second} da fala\n\n"
        )
        .unwrap();
    }
    let source = parse("a.vtt", vtt.as_bytes(), &Options::default()).unwrap().value;
    let Content::Meeting(meeting) = &source.content else { panic!("not a meeting") };
    assert_eq!(meeting.turns.len(), 1);
    let turns = meeting.turns();
    assert!(turns.len() > 2 && turns.iter().all(|turn| turn.text.chars().count() <= 600));
    let said: String = turns.iter().map(|turn| turn.text.clone() + " ").collect();
    assert_eq!(said.trim_end(), meeting.turns[0].text());
    let document = source.into_document("file:a".parse().unwrap(), "a");
    let chunks = Windows::default().chunks(&document);
    assert!(chunks.len() > 1 && chunks.iter().all(|chunk| chunk.speakers() == ["Ana"]));
    let Position::Time(span) = chunks[1].position() else { panic!("no time") };
    assert!(span.start().as_millis() > 5000, "a later chunk cites a later time: {span}");
}

#[test]
fn what_programs_write_around_a_transcript_is_no_speech() {
    for text in [
        "Semanal - Transcrição\n00:00:00\n\nAna Lima: Um.\nRui Costa: Dois.\nAna Lima: Três.\n\nA reunião terminou depois de 00:25:12 👋\n",
        "Semanal (2024-03-12 14:00 GMT-3): transcripción\n00:00:00\n\nAna Lima: Um.\nRui Costa: Dois.\nAna Lima: Três.\nLa reunión finalizó después de 00:25:12\n",
        "Semanal\n25m 3s\n\nAna Lima   0:00\nUm.\n\nRui Costa   0:10\nDois.\n\nAna Lima   0:20\nTrês.\n\nAna Lima parou a transcrição\n",
        "Transcrição\n\nAna Lima iniciou a transcrição\n\nAna Lima 0:00\nUm.\n\nRui Costa 0:10\nDois.\n\nAna Lima 0:20\nTrês.\n",
        "2024-03-12 09:00:12 From Ana Lima to Everyone:\n\tUm.\n2024-03-12 09:00:13 From Rui Costa to Everyone:\n\tDois.\n2024-03-12 09:00:14 From Ana Lima to Everyone:\n\tTrês.\n",
    ] {
        assert_eq!(Format::detect("a.txt", text), Format::Meeting, "{text:?}");
        let meeting = parse_meeting(text).unwrap().value;
        assert_eq!(meeting.speakers, ["Ana Lima", "Rui Costa"], "{text:?}");
        let said: Vec<_> =
            meeting.turns.iter().filter(|turn| turn.speaker.is_some()).map(MeetingTurn::text).collect();
        assert_eq!(said, ["Um.", "Dois.", "Três."], "{text:?}");
    }
    // In a file of another manner the same line is speech.
    let otter = "Ana Lima  0:01\nVamos para a\nSala Dois 0:30\ndepois.\n\nRui Costa  0:40\nCerto.\n";
    assert_eq!(parse_meeting(otter).unwrap().value.turns[0].text(), "Vamos para a Sala Dois 0:30 depois.");
}

#[test]
fn captions_and_prose_are_no_meetings() {
    let captions = "WEBVTT\n\n00:01.000 --> 00:02.000\nEle disse: vamos\n\n00:02.000 --> 00:03.000\ne foram\n\n00:03.000 --> 00:04.000\nassim\n";
    assert_eq!(Format::detect("a.vtt", captions), Format::WebVtt);
    let one_voice = captions.replace("assim", "<v Ana>assim");
    assert_eq!(Format::detect("a.vtt", &one_voice), Format::WebVtt);
    for text in [
        "Introdução  1:20\nDesenvolvimento  3:45\nFim  9:10\n",
        "ANA: Que horas são?\nRUI: Dez.\nANA: Já?\n",
        "10:30 Café: padaria\n11:30 Museu: arte\n14:00 Almoço: bistrô\n",
        "João  3:16\nPorque Deus amou o mundo.\n\nGênesis  1:01\nNo princípio.\n",
        "Nota: isto é um texto.\n\nOutra nota: também.\n",
        "Bolo\n\nPreparo (0:40):\nMisture tudo.\nForno (0:50):\nAsse bem.\n",
        "Primeira Parte 0:10\nIntrodução.\nSegunda Parte 4:20\nMeio.\nTerceira Parte 9:00\nFim.\n",
        "",
    ] {
        assert_ne!(Format::detect("a.txt", text), Format::Meeting, "{text:?}");
    }
    // Names, and not a word that anyone says.
    for text in [
        " \nWEBVTT\n\n00:01.000 --> 00:0x.000\nAna: oi\n",
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>&nbsp;\n",
        "00:13:46\tAna:\t\n00:13:47\tRui:\t\n",
    ] {
        assert!(parse("a.txt", text.as_bytes(), &Options::default()).is_ok(), "{text:?}");
    }
    for text in ["", "só texto\nmais texto", "WEBVTT\n\n00:01.000 --> 00:02.000\noi\n"] {
        assert!(matches!(parse_meeting(text), Err(Error::NotMeeting)), "{text:?}");
    }
}

fn real(file: &str) -> Option<(String, Parsed<Meeting>)> {
    let bytes = shared(&format!("meetings/{file}"))?;
    let source = parse(file, &bytes, &Options::default()).unwrap();
    assert_eq!(source.value.format, Format::Meeting, "{file}");
    let parsed = source.map(|source| match source.content {
        Content::Meeting(meeting) => meeting,
        other => panic!("{file}: {other:?}"),
    });
    Some((String::from_utf8(bytes).unwrap(), parsed))
}

/// Platform, speakers, turns, first and last turn; read off each file by eye.
#[test]
fn every_real_meeting_gives_what_stands_in_it() {
    let alice = "Right, let's start with the renewal. They came back asking for a twelve percent increase.";
    for (file, platform, speakers, turns, first, last) in [
        (
            "otter.turnchunk.txt",
            Platform::Otter,
            2,
            2,
            line("Alice Chen", 1000, 9000, alice),
            line("Bob Ferreira", 9000, 9000, "Twelve? That's well above what we budgeted."),
        ),
        (
            "teams.turnchunk.vtt",
            Platform::Teams,
            2,
            2,
            line("Alice Chen", 1000, 9200, alice),
            line(
                "Bob Ferreira",
                9200,
                15_800,
                "Twelve? That's well above what we budgeted. I'd want to see their justification before we agree to anything.",
            ),
        ),
        (
            "zoom.research-en.small.vtt",
            Platform::Zoom,
            2,
            2,
            line("Ashlee Kupor (SL)", 510, 1550, "Let's do that"),
            line(
                "Dora Demszky",
                1790,
                24_090,
                "by, too. We? And then No, it's gonna. I think it's transcribing. Yeah, I think it is. It's transcribing stuff. So yeah, i'll send you what I have after this.",
            ),
        ),
    ] {
        let Some((_, parsed)) = real(file) else { return };
        let meeting = parsed.value;
        let told = told(&meeting);
        assert_eq!(
            (meeting.platform, meeting.speakers.len(), told.len()),
            (platform, speakers, turns),
            "{file}"
        );
        assert_eq!((told.first(), told.last()), (Some(&first), Some(&last)), "{file}");
        assert_eq!(parsed.warnings, [], "{file}");
    }
}

#[test]
fn every_word_of_a_real_call_is_its_speakers() {
    for (file, cues) in [
        ("zoom.acdc-2026-02-05_174.transcript.vtt", 348),
        ("zoom.acdc-2026-02-05_174.transcript_corrected.vtt", 348),
        ("zoom.acdc-2026-02-19_175.transcript_corrected.vtt", 139),
    ] {
        let Some((text, parsed)) = real(file) else { return };
        let normal = text.replace("\r\n", "\n");
        // By another way than the parser's: the line under each line of times.
        let mut expected: Vec<(String, String)> = Vec::new();
        let mut count = 0;
        for (times, said) in
            normal.lines().zip(normal.lines().skip(1)).filter(|(line, _)| line.contains(" --> "))
        {
            assert!(times.starts_with("00:"));
            count += 1;
            let (name, said) = said.split_once(": ").map_or(("", said), |(name, said)| (name, said));
            match expected.last_mut() {
                Some((last, text)) if last == name || name.is_empty() => {
                    text.push(' ');
                    text.push_str(said);
                }
                _ => expected.push((name.to_owned(), said.to_owned())),
            }
        }
        let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected: Vec<_> = expected.into_iter().map(|(name, said)| (Some(name), spaced(&said))).collect();
        let found: Vec<_> =
            parsed.value.turns.iter().map(|turn| (turn.speaker.clone(), turn.text())).collect();
        assert_eq!(found, expected, "{file}");
        let pieces: usize = parsed.value.turns.iter().map(|turn| turn.pieces.len()).sum();
        assert_eq!((count, pieces), (cues, cues), "{file}");
    }
}

#[test]
fn every_message_of_a_real_chat_is_its_senders() {
    let Some((text, parsed)) = real("zoom.acdc-2026-02-05_174.chat.txt") else { return };
    let heads: Vec<&str> = text.lines().filter(|line| line.matches('\t').count() >= 2).collect();
    assert!(heads.len() > 100);
    assert_eq!(parsed.value.turns.len(), heads.len());
    for (turn, head) in parsed.value.turns.iter().zip(heads) {
        let [_, name, said] = head.splitn(3, '\t').collect::<Vec<_>>()[..] else { panic!("{head}") };
        assert_eq!(turn.speaker.as_deref(), Some(name.trim_end_matches(':')));
        assert!(turn.text().starts_with(said.trim()));
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let said: usize = parsed
        .value
        .turns
        .iter()
        .map(|turn| letters(&turn.text()) + letters(turn.speaker.as_deref().unwrap()))
        .sum();
    let clocks = parsed.value.turns.len() * 6;
    assert_eq!(said + clocks, letters(&text), "nothing is lost");
}

#[test]
fn a_meeting_becomes_turns() {
    let Some(bytes) = shared("meetings/teams.turnchunk.vtt") else { return };
    let source = parse("a.vtt", &bytes, &Options::default()).unwrap().value;
    let document = source.into_document("file:a".parse().unwrap(), "a");
    assert!(matches!(&document.body, Body::Turns(turns) if turns.len() == 2));
    let chunks = Windows::default().chunks(&document);
    assert!(chunks[0].original_text().starts_with("Alice Chen: Right, let's start"));
}
