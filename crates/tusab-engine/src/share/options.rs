use tusab_chunk::Language;

/// What a file for people is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShareFormat {
    /// Markdown (CommonMark, with tables as GitHub has them).
    Markdown,
    /// One JSON object a line: a passage of a project, or a turn of a conversation.
    JsonLines,
    /// Cards for learning, for Anki. Of a project: the title of each source, and what it begins with.
    AnkiCsv,
    /// A document of Word and `LibreOffice`.
    #[cfg(feature = "docx")]
    Docx,
    /// A workbook of Excel and `LibreOffice`.
    #[cfg(feature = "xlsx")]
    Xlsx,
    /// A document to print, in the fonts of [`ShareOptions::fonts`].
    #[cfg(feature = "pdf")]
    Pdf,
}

/// How a file for people is written.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ShareOptions {
    /// The language of the few words that are the engine's own, such as headings of tables: Portuguese, Spanish, or
    /// English for any other and by default.
    pub language: Option<Language>,
    /// Fonts for a PDF (TrueType or OpenType): a character is set in the first that has it. A PDF holds the letters it
    /// shows, and no computer has all fonts; the engine brings none, so the app gives at least one, and one with emoji
    /// where they matter.
    pub fonts: Vec<Vec<u8>>,
}

impl std::fmt::Debug for ShareOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { language, fonts } = self;
        f.debug_struct("ShareOptions").field("language", language).field("fonts", &fonts.len()).finish()
    }
}

impl ShareOptions {
    /// Sets the language of the engine's own words.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Self {
        self.language = Some(language);
        self
    }

    /// Adds a font for what those before it cannot show.
    #[must_use]
    pub fn with_font(mut self, font: impl Into<Vec<u8>>) -> Self {
        self.fonts.push(font.into());
        self
    }
}
