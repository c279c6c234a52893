use super::*;

/// Texts of our own, and what the two tokenizers make of them: `o200k_base`, Llama 3.
const COUNTED: [(&str, u32, u32); 6] = [
    (
        "A horta na varanda começa com uma escolha simples: quanta luz chega ali de manhã e à tarde. Com seis \
             horas de sol direto crescem tomates, pimentões e manjericão; com menos de quatro, é melhor ficar com \
             alface, rúcula, salsinha e hortelã. Os vasos precisam de furos no fundo, porque a água parada \
             apodrece as raízes em poucos dias. Uma camada de pedras não resolve o problema, embora muita gente \
             ainda acredite nisso. O que funciona é uma terra leve, misturada com composto bem curtido e um pouco \
             de areia grossa.",
        128,
        157,
    ),
    (
        "Ontem, na reunião do condomínio, a síndica explicou que a caixa d'água será lavada no dia 14 de \
             março, das 9h às 16h, e que o prédio ficará sem água durante esse período. Alguém perguntou se não \
             daria para fazer o serviço no domingo. Ela respondeu que a empresa cobra 35% a mais nos fins de \
             semana, o que elevaria a conta para R$ 2.480,00. Depois de alguma discussão, ficou decidido que cada \
             morador deve guardar pelo menos dois baldes cheios, e que os avisos serão colados no elevador com \
             cinco dias de antecedência.",
        136,
        160,
    ),
    (
        "então assim gente o que eu queria falar hoje é sobre aquela história de que a gente precisa acordar \
             às cinco da manhã pra ser produtivo né eu tentei fazer isso por três meses e olha não funcionou \
             comigo porque eu dormia tarde do mesmo jeito e aí chegava no trabalho já cansado e sem paciência \
             então o que realmente mudou foi quando eu comecei a anotar no papel o que eu ia fazer no dia \
             seguinte antes de dormir isso me ajudou muito mais do que qualquer despertador que eu já comprei na \
             vida",
        108,
        126,
    ),
    (
        "Composting in a small flat is mostly a question of balance. Kitchen scraps are wet and rich in \
             nitrogen, so they need something dry and brown beside them: torn cardboard, dead leaves, a handful \
             of sawdust from untreated wood. If the bin smells sour, there is too much of the wet stuff; if \
             nothing seems to happen for weeks, it is probably too dry. Turning the heap once or twice a week \
             lets air in, and air is what the useful bacteria want. Meat, cheese and oily leftovers should stay \
             out, because they attract flies long before they rot.",
        116,
        116,
    ),
    (
        "The committee met on Tuesday to go over the budget for the coming year. Rents rose by 4.2%, while \
             income from the workshop fell for the second time since 2019, mainly because three of the twelve \
             benches were out of order between June and September. Margaret proposed to sell the older lathe, \
             which nobody has used for months, and to put the money into repairs. The others agreed in principle, \
             but asked for a written estimate before the next meeting on 18 November. A decision about the \
             heating was postponed again.",
        109,
        109,
    ),
    (
        "so yeah I think the main thing we wanted to get through today is just the question of whether we \
             ship the new importer this week or wait until the tests are less flaky because right now they fail \
             maybe one time out of ten and nobody really knows why I looked at the logs yesterday and it seems \
             like the clock on that one machine is drifting but I could be wrong about that so if anybody has \
             time to take a look after the call that would be great",
        91,
        92,
    ),
];

/// Tables, options, code, a log and other scripts; short, and of a single kind, so they may be further off.
const OF_OTHER_KINDS: [(&str, u32, u32); 5] = [
    (
        "| Mês | Receita | Despesa | Saldo |\n|---|---:|---:|---:|\n| Janeiro | 12.480,50 | 9.312,75 | 3.167,75 |\n\
             | Fevereiro | 11.902,00 | 10.455,10 | 1.446,90 |\n| Março | 13.770,25 | 9.998,40 | 3.771,85 |\n| Abril | \
             12.016,80 | 11.204,00 | 812,80 |\n| Maio | 14.305,15 | 10.087,65 | 4.217,50 |\n",
        144,
        147,
    ),
    (
        "Usage: guardar [OPTIONS] <FILE>...\n\nOptions:\n  -o, --output <DIR>     Write the copies to DIR [default: .]\n  \
             -c, --compress         Compress each copy\n  -k, --keep <N>         Keep the last N copies [default: 7]\n      \
             --dry-run          Say what would be done, and do nothing\n  -v, --verbose          Say more; twice, say \
             everything\n  -h, --help             Print this help\n",
        105,
        106,
    ),
    (
        "fn nextOpenSlot(calendarEntries: &[Entry], startTime: u64) -> Option<u64> {\n    let mut lastEnd = startTime;\n    \
             for entry in calendarEntries {\n        if entry.startTime > lastEnd + MIN_GAP {\n            return \
             Some(lastEnd);\n        }\n        lastEnd = lastEnd.max(entry.endTime);\n    }\n    None\n}\n",
        76,
        71,
    ),
    (
        "2024-03-01 07:15:32 INFO  sensor=12 temp=21.45 hum=63.2\n2024-03-01 07:15:47 INFO  sensor=13 temp=20.98 \
             hum=61.7\n2024-03-01 07:16:02 WARN  sensor=12 temp=35.10 hum=60.4\n2024-03-01 07:16:17 INFO  sensor=14 \
             temp=19.87 hum=66.0\n",
        112,
        112,
    ),
    (
        "Пожалуйста, полейте цветы на балконе вечером. ベランダの花に水をやってください。请在晚上给阳台上的花浇水。",
        39,
        42,
    ),
];

/// Not whether it is right, which the other tests and the real vocabularies tell, but that it is what it was: whoever changes a
/// rule or a weight sees here what becomes of each kind.
/// Kinds of pieces, each text a hundred times over, and what is estimated of it: `o200k_base`, Llama 3.
const PINNED: [(&str, u32, u32); 23] = [
    (" the water is in the garden", 669, 676),
    (" o menino não comeu a maçã na escola", 976, 1171),
    (" (water) \"kettle\"", 776, 794),
    (" getValue(lastEnd) readLine(path)", 993, 997),
    (" HTTP SERVER NASA", 648, 648),
    (" HTTPServerError parseURLs", 526, 544),
    (" antidisestablishmentarianism", 559, 637),
    (" otorrinolaringologista", 355, 426),
    (" 日本語のテキスト", 559, 635),
    (" Привет мир", 328, 366),
    ("😀😃 x 🔥 ", 604, 862),
    (" ───┼── │ ", 624, 624),
    ("-- ==>> !? ", 351, 351),
    ("12345 678 ", 538, 538),
    (" Elisá Javã Tubal", 515, 616),
    (" coração ação", 250, 378),
    (" a\u{303}o c\u{327}", 532, 532),
    ("\n\n   x\t\ty", 542, 542),
    (" Peter Asquenaz", 351, 445),
    (" x, y; z.", 645, 645),
    // Both languages, neither, and prose with a little code.
    (" o menino the water", 446, 487),
    (" water kettle", 260, 289),
    (" water garden kettle menino escola casa porta vaso terra lado readLine (water)", 1813, 2039),
];

#[test]
fn what_each_kind_of_piece_costs_changes_on_purpose_only() {
    for (text, wide, common) in PINNED {
        let many = text.repeat(100);
        let found = (estimate("openai::gpt-5.4-mini", &many), estimate("ollama::llama3.2:1b", &many));
        assert_eq!(found, (wide, common), "{text:?}");
    }
}

fn estimate(model: &str, text: &str) -> u32 {
    estimate_tokens(&model.parse().unwrap(), text).get()
}

#[test]
fn estimates_lie_within_their_bars_of_both_tokenizers() {
    for (text, wide, common) in COUNTED {
        for (model, truth) in [("openai::gpt-5.4-mini", wide), ("ollama::llama3.2:1b", common)] {
            let ratio = f64::from(estimate(model, text)) / f64::from(truth);
            assert!((0.90..=1.25).contains(&ratio), "{ratio:.3} of {truth} for {model}: {text}");
        }
    }
}

#[test]
fn estimates_of_other_kinds_of_text_are_near_the_truth() {
    for (text, wide, common) in OF_OTHER_KINDS {
        for (model, truth) in [("openai::gpt-5.4-mini", wide), ("ollama::llama3.2:1b", common)] {
            let ratio = f64::from(estimate(model, text)) / f64::from(truth);
            assert!((0.85..=1.35).contains(&ratio), "{ratio:.3} of {truth} for {model}: {text}");
        }
    }
}

/// Counted by the vocabularies, too: what stands between brackets in code is a common word, in prose seldom.
#[test]
fn in_code_a_word_behind_a_mark_costs_less_than_in_prose() {
    let of = |text: &str| estimate("ollama::m", &text.repeat(100));
    let (apart, together) = (of(" getValue") + of("(water)"), of(" getValue(water)"));
    assert!(together + 25 < apart, "{together} and {apart}");
}

#[test]
fn models_are_known_by_their_vocabulary() {
    for (model, wide) in [
        ("openai::gpt-4o-mini", true),
        ("openai::o3", true),
        ("openai::gpt-4", false),
        ("openai::gpt-4-turbo", false),
        ("openai::gpt-4.1", true),
        ("openai::text-embedding-3-small", false),
        ("openai::text-embedding-ada-002", false),
        ("openai::ft:gpt-3.5-turbo-0125:me", false),
        ("openai::ft:gpt-4:me", false),
        ("openai::ft:gpt-4-0613:me", false),
        ("openai::ft:gpt-4o-mini:me", true),
        ("openai::ft:gpt-4.1:me", true),
        ("groq::openai/gpt-oss-20b", true),
        ("ollama::gpt-oss:20b", true),
        ("ollama::llama3.2:1b", false),
        ("anthropic::claude-haiku-4-5", false),
    ] {
        assert_eq!(has_wide_vocabulary(&model.parse().unwrap()), wide, "{model}");
    }
}

#[test]
fn nothing_is_nothing_and_any_text_has_an_estimate() {
    let model = "ollama::m";
    assert_eq!(estimate(model, ""), 0);
    for text in
        ["a", "  ", "\n", "日本語のテキスト", "🙂🙂", "HTTPServerError", "\u{0}", "é", "________", "1234567"]
    {
        let tokens = estimate(model, text);
        assert!(tokens <= 24, "{tokens} for {text:?}");
    }
    // What no vocabulary holds: each of its letters costs.
    assert!(estimate(model, &"qzxk".repeat(100)) >= 150);
}

#[test]
fn an_estimate_grows_with_the_text() {
    let model = "ollama::m";
    let text = COUNTED[0].0;
    let (one, ten) = (estimate(model, text), estimate(model, &text.repeat(10)));
    assert!((one * 9..=one * 10 + 10).contains(&ten), "{one} {ten}");
}
