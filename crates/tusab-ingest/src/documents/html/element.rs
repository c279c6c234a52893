//! What the elements of HTML mean for text.

/// What an element does to the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It stands in a line of text.
    Inline,
    /// It starts a paragraph.
    Block,
    Heading(u8),
    /// A list; whether it is numbered.
    List {
        is_numbered: bool,
    },
    Item,
    Table,
    Row,
    Cell,
    Quote,
    Preformatted,
    Break,
    /// The content of the page.
    Main,
    Article,
    /// What surrounds the content: menus, headers, footers.
    Surroundings,
    /// What is never text to read: scripts, drawings, controls.
    Dropped,
}

pub(super) fn role(name: &str) -> Role {
    match name {
        "h1" => Role::Heading(1),
        "h2" => Role::Heading(2),
        "h3" => Role::Heading(3),
        "h4" => Role::Heading(4),
        "h5" => Role::Heading(5),
        "h6" => Role::Heading(6),
        "ul" | "menu" | "dir" => Role::List { is_numbered: false },
        "ol" => Role::List { is_numbered: true },
        "li" => Role::Item,
        "table" => Role::Table,
        "tr" => Role::Row,
        "td" | "th" => Role::Cell,
        "blockquote" => Role::Quote,
        "pre" | "listing" | "xmp" => Role::Preformatted,
        "br" => Role::Break,
        "main" => Role::Main,
        "article" => Role::Article,
        "nav" | "header" | "footer" | "aside" => Role::Surroundings,
        "script" | "style" | "noscript" | "template" | "svg" | "math" | "iframe" | "object" | "noembed"
        | "noframes" | "button" | "select" | "textarea" | "dialog" | "canvas" | "audio" | "video"
        | "title" => Role::Dropped,
        "p" | "div" | "section" | "body" | "html" | "address" | "center" | "dl" | "dt" | "dd" | "figure"
        | "figcaption" | "caption" | "details" | "summary" | "fieldset" | "legend" | "form" | "hr"
        | "hgroup" | "thead" | "tbody" | "tfoot" | "colgroup" | "optgroup" | "search" | "head" => Role::Block,
        _ => Role::Inline,
    }
}

/// Whether an element is kept open until its end. The ends of others may be left out, and the next of them ends them.
pub(super) fn is_container(name: &str) -> bool {
    !matches!(
        name,
        "p" | "li"
            | "dt"
            | "dd"
            | "tr"
            | "td"
            | "th"
            | "thead"
            | "tbody"
            | "tfoot"
            | "colgroup"
            | "caption"
            | "br"
            | "hr"
            | "html"
            | "head"
            | "body"
            | "title"
    ) && !matches!(role(name), Role::Inline | Role::Heading(_))
}

/// Whether the style of an element itself says that it is not shown.
pub(super) fn is_not_displayed(style: &str) -> bool {
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    style
        .to_ascii_lowercase()
        .split(';')
        .any(|rule| matches!(rule.trim_end_matches("!important"), "display:none" | "visibility:hidden"))
}

/// Class names of what is there to be clicked on: `[edit]` beside the headings of a wiki.
pub(super) fn is_control(class: &str) -> bool {
    class.split_whitespace().any(|word| matches!(word, "mw-editsection" | "headerlink" | "noprint"))
}

/// What banners that ask for consent have in their class or id, beside `cookie`.
const CONSENT: [&str; 8] = ["banner", "consent", "notice", "bar", "popup", "modal", "law", "overlay"];

/// Class names and ids of menus that are no `nav`.
pub(super) fn is_menu(label: &str) -> bool {
    label.split_whitespace().any(|word| {
        let word = word.to_ascii_lowercase();
        let asks = || {
            let rest = word.split_once("cookie").map(|(before, after)| [before, after].concat());
            rest.is_some_and(|rest| CONSENT.iter().any(|part| rest.contains(part)))
        };
        asks()
            || matches!(
                word.as_str(),
                "nav"
                    | "navbar"
                    | "navigation"
                    | "menu"
                    | "breadcrumb"
                    | "breadcrumbs"
                    | "docnav"
                    | "navheader"
                    | "navfooter"
                    | "pagination"
                    | "skip-link"
                    | "cookie-banner"
                    | "site-header"
                    | "site-footer"
                    | "footer"
                    | "toolbar"
            )
    })
}

/// The role that an element takes by its attribute `role`.
pub(super) fn aria_role(value: &str) -> Option<Role> {
    match value {
        "main" => Some(Role::Main),
        "article" => Some(Role::Article),
        "navigation" | "banner" | "contentinfo" | "search" | "complementary" => Some(Role::Surroundings),
        _ => None,
    }
}

/// Elements that have no content, and so no end.
pub(super) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}
