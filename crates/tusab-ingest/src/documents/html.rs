//! HTML: the main content of a page, as Markdown.
//!
//! The page is tokenized by the specification and read in one pass, without a tree: what a tree would tell of structure,
//! the start of the next block tells as well, and no depth of hostile tags costs more than its length.

mod blocks;
mod charset;
mod element;
mod metadata;
mod page;
mod reader;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tokenizer, TokenizerOpts};

use super::limits::DocumentLimits;
use crate::{Content, Error, Format, Parsed, Source};
pub(crate) use charset::decode;
use reader::Reader;

pub(super) fn read(text: &str, limits: &DocumentLimits) -> Result<Parsed<Source>, Error> {
    let tokenizer = Tokenizer::new(Reader::new(limits.nesting), TokenizerOpts::default());
    let input = BufferQueue::default();
    // Tendrils hold at most 4 GiB, and are fed in pieces so that none has to be that large.
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(1 << 20));
        input.push_back(StrTendril::from_slice(piece));
        while let TokenizerResult::Script(()) = tokenizer.feed(&input) {}
        rest = after;
    }
    tokenizer.end();
    let page = tokenizer.sink.finish()?;
    let markdown = page.markdown(limits)?;
    if markdown.trim().is_empty() {
        return Err(Error::NoText { format: Format::Html });
    }
    let metadata = page.metadata;
    Ok(Parsed::sound(Source {
        title: metadata.title.or(page.first_heading),
        language: metadata.language,
        date: metadata.date,
        link: metadata.link,
        tags: metadata.tags,
        ..Source::new(Format::Html, Content::Markdown(markdown))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Source {
        read(html, &DocumentLimits::default()).unwrap().value
    }

    fn markdown(html: &str) -> String {
        let Content::Markdown(text) = page(html).content else { panic!("not Markdown") };
        text
    }

    #[test]
    fn the_main_content_is_read_and_what_surrounds_it_left_out() {
        let source = page(
            "<!doctype html><html lang=pt-BR><head><title>Juros &amp; taxas</title>
            <meta name=keywords content='selic, copom'><meta property='article:published_time' content='2024-02-29T10:00'>
            <link rel=canonical href='http://localhost/juros'><style>p{color:red}</style></head>
            <body><nav><ul><li><a href=/>Início</a></ul></nav><header><p>Banco</header>
            <main><h1>Juros</h1><p>A taxa <a href=x>subiu</a>&nbsp;hoje.<br>Muito.<script>if (a<b) alert('</p>')</script>
            <ul><li>um<ol start=3><li>três<li>quatro</ol><li>dois</ul>
            <table><caption>Taxas</caption><tr><th>Ano<th>Taxa<tr><td>2024<td>10,5</table>
            <blockquote>Disse <q>tudo</q></blockquote><pre>  a\n    b</pre><aside>propaganda</aside></main>
            <footer>rodapé</footer></body></html>",
        );
        assert_eq!(source.title.as_deref(), Some("Juros & taxas"));
        assert_eq!(source.language.as_ref().map(tusab_chunk::Language::as_str), Some("pt-BR"));
        assert_eq!(source.date.map(|date| date.to_string()).as_deref(), Some("2024-02-29"));
        assert_eq!(source.link.as_deref(), Some("http://localhost/juros"));
        assert_eq!(source.tags, ["selic", "copom"]);
        let Content::Markdown(text) = source.content else { panic!("not Markdown") };
        assert_eq!(
            text,
            "# Juros\n\nA taxa subiu hoje.\nMuito.\n\n- um\n  3. três\n  4. quatro\n- dois\n\nTaxas\n\n\
             | Ano | Taxa |\n| --- | --- |\n| 2024 | 10,5 |\n\n> Disse tudo\n\n```\n  a\n    b\n```"
        );
    }

    #[test]
    fn tables_that_lay_out_a_page_are_seen_through() {
        let html = "<html><table><tr><td><h1>Título</h1><p>Um.<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>";
        assert_eq!(markdown(html), "# Título\n\nUm.\n\n| a | b |\n| --- | --- |\n| c | d |");
    }

    #[test]
    fn a_page_of_surroundings_alone_is_read_whole() {
        assert_eq!(markdown("<html><nav>só isto</nav>"), "só isto");
        assert_eq!(markdown("<html><p>curto<main></main>"), "curto");
        assert!(matches!(
            read("<html><script>x</script>", &DocumentLimits::default()),
            Err(Error::NoText { .. })
        ));
    }

    #[test]
    fn hidden_parts_and_unknown_entities() {
        assert_eq!(
            markdown("<html><p hidden>a</p><p>b &eacute; &foo; &#233; <template>c</template>"),
            "b é &foo; é"
        );
    }

    #[test]
    fn what_is_not_shown_or_is_there_to_be_clicked_on_is_left_out() {
        assert_eq!(
            markdown(
                "<html><div class='CookieConsent__bar'>aceite</div><p style='color: red; DISPLAY : none'>a</p>\
                 <h2>História<span class='mw-editsection'>[editar]</span></h2><p class='cookie-recipe'>b</p>"
            ),
            "## História\n\nb"
        );
    }

    #[test]
    fn hostile_depth_is_refused_and_hostile_length_ends() {
        let deep = format!("<html>{}x", "<div>".repeat(100_000));
        assert!(matches!(read(&deep, &DocumentLimits::default()), Err(Error::TooLarge { .. })));
        for piece in ["<p>", "<li>a", "<td>", "<table>", "&amp", "<", "</div>", "<a href='", "<!--", "<b><i>"]
        {
            let _ = read(&format!("<html>{}", piece.repeat(50_000)), &DocumentLimits::default());
        }
    }
}
