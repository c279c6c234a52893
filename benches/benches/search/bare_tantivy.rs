use std::path::Path;

use benches::passages::Passage;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, EmptyQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::{AsciiFoldingFilter, LowerCaser, SimpleTokenizer, TextAnalyzer, TokenStream};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term, doc};

use crate::finder::{Asked, Finder, WANTED};

const ANALYZER: &str = "folded";

/// Memory in which documents are gathered before they are written.
const WRITER_BYTES: usize = 100_000_000;

/// An index with an analysed title and text, which are also stored.
pub(crate) struct Tantivy {
    writer: IndexWriter,
    reader: IndexReader,
    analyzer: TextAnalyzer,
    title: Field,
    text: Field,
}

impl Tantivy {
    fn words(&self, text: &str) -> Vec<String> {
        let mut analyzer = self.analyzer.clone();
        let mut tokens = analyzer.token_stream(text);
        let mut words = Vec::new();
        while let Some(token) = tokens.next() {
            words.push(token.text.clone());
        }
        words
    }

    fn query(&self, asked: &Asked) -> Box<dyn Query> {
        match asked {
            Asked::Words(words) => {
                let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
                for word in self.words(words) {
                    let term = |field| {
                        TermQuery::new(Term::from_field_text(field, &word), IndexRecordOption::WithFreqs)
                    };
                    terms.push((Occur::Should, Box::new(term(self.text))));
                    terms.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term(self.title)), 5.0))));
                }
                Box::new(BooleanQuery::new(terms))
            }
            Asked::Phrase(phrase) => {
                let words = self.words(phrase);
                let terms: Vec<Term> =
                    words.iter().map(|word| Term::from_field_text(self.text, word)).collect();
                // One word is no phrase to tantivy.
                match terms.as_slice() {
                    [] => Box::new(EmptyQuery),
                    [term] => Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs)),
                    _ => Box::new(PhraseQuery::new(terms)),
                }
            }
        }
    }
}

impl Finder for Tantivy {
    const NAME: &'static str = "tantivy bare";

    fn open(folder: &Path) -> Self {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(ANALYZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let options = TextOptions::default().set_indexing_options(indexing).set_stored();
        let title = schema.add_text_field("title", options.clone());
        let text = schema.add_text_field("text", options);
        let index = Index::create_in_dir(folder, schema.build()).expect("an index");
        let analyzer = TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(LowerCaser)
            .filter(AsciiFoldingFilter)
            .build();
        index.tokenizers().register(ANALYZER, analyzer.clone());
        let writer = index.writer(WRITER_BYTES).expect("a writer");
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().expect("a reader");
        Self { writer, reader, analyzer, title, text }
    }

    fn write(&mut self, _: usize, passages: &[Passage]) {
        for Passage { title, text } in passages {
            self.writer
                .add_document(doc!(self.title => title.as_str(), self.text => text.as_str()))
                .expect("a document");
        }
        self.writer.commit().expect("a commit");
        self.reader.reload().expect("an index");
    }

    fn settle(&mut self) {
        let segments = self.writer.index().searchable_segment_ids().expect("segments");
        if segments.len() > 1 {
            self.writer.merge(&segments).wait().expect("a merge");
        }
        self.reader.reload().expect("an index");
    }

    fn find(&self, asked: &Asked) -> usize {
        let searcher = self.reader.searcher();
        let top = TopDocs::with_limit(WANTED).order_by_score();
        let found = searcher.search(&self.query(asked), &top).expect("hits");
        let bytes = |field, document: &TantivyDocument| {
            document.get_first(field).and_then(|value| value.as_str()).map_or(0, str::len)
        };
        found
            .into_iter()
            .map(|(_, address)| {
                let document: TantivyDocument = searcher.doc(address).expect("a document");
                bytes(self.title, &document) + bytes(self.text, &document)
            })
            .sum()
    }
}
