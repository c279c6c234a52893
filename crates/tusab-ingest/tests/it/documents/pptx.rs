use tusab_chunk::{Chunker, Position, Windows};
use tusab_ingest::Format;

use super::made::{archive, links};
use super::{source, text};

fn shape(placeholder: &str, paragraphs: &[(u32, &str)]) -> String {
    let body = paragraphs
        .iter()
        .map(|(level, text)| format!("<a:p><a:pPr lvl=\"{level}\"/><a:r><a:t>{text}</a:t></a:r></a:p>"))
        .collect::<Vec<_>>()
        .concat();
    format!("<p:sp><p:nvSpPr><p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:txBody>{body}</p:txBody></p:sp>")
}

fn slide(shapes: &[String]) -> String {
    format!("<p:sld><p:cSld><p:spTree>{}</p:spTree></p:cSld></p:sld>", shapes.concat())
}

#[test]
fn slides_are_read_in_the_order_of_the_show_with_their_notes() {
    let cell =
        |text: &str| format!("<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>");
    let table = format!(
        "<p:graphicFrame><a:tbl><a:tr>{}{}</a:tr><a:tr>{}{}</a:tr></a:tbl></p:graphicFrame>",
        cell("Ano"),
        cell("Taxa"),
        cell("2024"),
        cell("10,5")
    );
    let diagram = "<p:graphicFrame><dgm:relIds r:dm=\"d1\"/></p:graphicFrame>".to_owned();
    let first = slide(&[
        shape("<p:ph type=\"body\"/>", &[(0, "um"), (1, "dois")]),
        shape("<p:ph type=\"title\"/>", &[(0, "Juros")]),
        shape("<p:ph type=\"sldNum\"/>", &[(0, "7")]),
        shape("", &[(0, "livre")]),
        table,
        diagram,
    ]);
    let second = slide(&[shape("", &[(0, "sem título")])]);
    let notes = slide(&[
        shape("<p:ph type=\"body\"/>", &[(0, "Falar devagar.")]),
        shape("<p:ph type=\"sldNum\"/>", &[(0, "7")]),
    ]);
    let data = "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>passo</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>";
    let empty = slide(&[]);
    let bytes = archive(&[
        ("_rels/.rels", links(&[("r", "officeDocument", "ppt/presentation.xml")]).as_bytes()),
        (
            "ppt/presentation.xml",
            b"<p:presentation><p:sldIdLst><p:sldId id=\"256\" r:id=\"b\"/><p:sldId id=\"257\" r:id=\"e\"/><p:sldId id=\"258\" r:id=\"a\"/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            links(&[("a", "slide", "slides/slide1.xml"), ("b", "slide", "slides/slide2.xml"), ("e", "slide", "slides/slide3.xml")]).as_bytes(),
        ),
        ("ppt/slides/slide1.xml", second.as_bytes()),
        ("ppt/slides/slide2.xml", first.as_bytes()),
        ("ppt/slides/slide3.xml", empty.as_bytes()),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            links(&[("n", "notesSlide", "../notesSlides/n.xml"), ("d1", "diagramData", "../diagrams/data1.xml")]).as_bytes(),
        ),
        ("ppt/notesSlides/n.xml", notes.as_bytes()),
        ("ppt/diagrams/data1.xml", data.as_bytes()),
    ]);
    let mut source = source("a.pptx", &bytes);
    assert_eq!((source.format, source.title.as_deref()), (Format::Pptx, Some("Juros")));
    assert_eq!(
        text(&source),
        "## Juros\n\n- um\n  - dois\n\nlivre\n\n| Ano | Taxa |\n| --- | --- |\n| 2024 | 10,5 |\n\npasso\n\n> Falar devagar.\n\n\
         ## 3\n\nsem título"
    );
    let slides: Vec<&str> =
        source.pages.texts(text(&source)).map(|slide| slide.lines().next().unwrap_or_default()).collect();
    assert_eq!(slides, ["## Juros", "", "## 3"]);

    let pages = std::mem::take(&mut source.pages);
    let chunks = Windows::default().chunks(&source.into_document("file:a".parse().unwrap(), ""));
    let Position::Text(span) = chunks.last().unwrap().position() else { panic!("not of a text") };
    assert_eq!(pages.of(span).unwrap().end().get(), 3);
}
