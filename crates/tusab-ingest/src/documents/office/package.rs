//! How the parts of an Office document find each other (ECMA-376 part 2, Open Packaging Conventions).

use super::archive::{Archive, damaged};
use super::xml::{Node, Xml};
use crate::documents::DocumentLimits;
use crate::{Error, Format, OldOffice};

/// An archive that is known to be an Office document.
pub(super) struct Package<'b> {
    archive: Archive<'b>,
    format: Format,
    main: String,
    main_text: String,
    roots: Vec<Relationship>,
}

/// A link from one part to another.
#[derive(Debug)]
pub(super) struct Relationship {
    pub(super) id: String,
    /// The last step of the address that names its kind: `footnotes`, `slide`.
    pub(super) kind: String,
    /// The name of the part in the archive.
    pub(super) target: String,
}

impl<'b> Package<'b> {
    /// None where the archive is no Office document.
    pub(super) fn open(mut archive: Archive<'b>) -> Result<Option<Self>, Error> {
        let roots = relationships(&mut archive, Format::Docx, "")?;
        let linked = roots.iter().find(|link| link.kind == "officeDocument").map(|link| link.target.clone());
        let usual = ["word/document.xml", "ppt/presentation.xml", "xl/workbook.xml"];
        let by_place = || usual.into_iter().find(|name| archive.has(name)).map(str::to_owned);
        let Some(main) = linked.or_else(by_place) else { return Ok(None) };
        let has_extension =
            |wanted| main.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(wanted));
        if has_extension("bin") {
            return Err(Error::OldOffice { program: OldOffice::Excel });
        }
        // Before its root is read, its place tells what to call it in errors.
        archive.known_as(match main.split('/').next() {
            Some("ppt") => Format::Pptx,
            Some("xl") => Format::Xlsx,
            _ => Format::Docx,
        });
        let main_text = archive.required(&main)?;
        let Some(format) = format_of(&main_text, &main, archive.limits())? else { return Ok(None) };
        archive.known_as(format);
        Ok(Some(Self { archive, format, main, main_text, roots }))
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    pub(super) fn limits(&self) -> &'b DocumentLimits {
        self.archive.limits()
    }

    /// The name and text of the part that holds the document itself.
    pub(super) fn take_main(&mut self) -> (String, String) {
        (self.main.clone(), std::mem::take(&mut self.main_text))
    }

    /// The text of the first part that the archive as a whole links to as `kind`.
    pub(super) fn root_part(&mut self, kind: &str) -> Result<Option<(String, String)>, Error> {
        let Some(link) = self.roots.iter().find(|link| link.kind == kind) else { return Ok(None) };
        let name = link.target.clone();
        Ok(self.archive.text(&name)?.map(|text| (name, text)))
    }

    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, Error> {
        self.archive.text(name)
    }

    /// The text of the part that `links` lead to as `kind`, with its name.
    pub(super) fn linked(
        &mut self,
        links: &[Relationship],
        kind: &str,
    ) -> Result<Option<(String, String)>, Error> {
        let Some(link) = links.iter().find(|link| link.kind == kind) else { return Ok(None) };
        Ok(self.archive.text(&link.target)?.map(|text| (link.target.clone(), text)))
    }

    /// The links of a part.
    pub(super) fn relationships(&mut self, part: &str) -> Result<Vec<Relationship>, Error> {
        relationships(&mut self.archive, self.format, part)
    }

    /// A reader of a part's text.
    pub(super) fn xml<'x>(&self, text: &'x str, part: &'x str) -> Xml<'x> {
        Xml::new(text, self.format, part, self.limits())
    }
}

/// The format that a main part's outermost element tells.
fn format_of(text: &str, part: &str, limits: &DocumentLimits) -> Result<Option<Format>, Error> {
    let mut xml = Xml::new(text, Format::Docx, part, limits);
    loop {
        match xml.next()? {
            Some(Node::Open(element)) => {
                return Ok(match element.name() {
                    "document" => Some(Format::Docx),
                    "presentation" => Some(Format::Pptx),
                    "workbook" => Some(Format::Xlsx),
                    _ => None,
                });
            }
            Some(_) => {}
            None => return Err(damaged(Format::Docx, part, "the part is empty")),
        }
    }
}

fn relationships(archive: &mut Archive<'_>, format: Format, part: &str) -> Result<Vec<Relationship>, Error> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    let name =
        if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
    let Some(text) = archive.text(&name)? else { return Ok(Vec::new()) };
    let mut xml = Xml::new(&text, format, &name, archive.limits());
    let mut links = Vec::new();
    while let Some(node) = xml.next()? {
        let Node::Open(element) = node else { continue };
        if element.name() != "Relationship" || element.get("TargetMode").as_deref() == Some("External") {
            continue;
        }
        if let (Some(id), Some(kind), Some(target)) =
            (element.get("Id"), element.get("Type"), element.get("Target"))
        {
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            links.push(Relationship { id, kind, target: resolve(folder, &target) });
        }
    }
    Ok(links)
}

/// The name in the archive of a target written relative to a folder in it. Steps above the top are dropped.
fn resolve(folder: &str, target: &str) -> String {
    let base = if target.starts_with('/') { "" } else { folder };
    let mut steps: Vec<&str> = Vec::new();
    for step in base.split('/').chain(target.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn targets_are_resolved_inside_the_archive() {
        for (folder, target, name) in [
            ("word", "footnotes.xml", "word/footnotes.xml"),
            ("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml"),
            ("word", "/word/styles.xml", "word/styles.xml"),
            ("", "word/document.xml", "word/document.xml"),
            ("xl", "../../../../etc/passwd", "etc/passwd"),
        ] {
            assert_eq!(resolve(folder, target), name);
        }
    }
}
