//! The parts of the page: what was timed on each side, and what to be wary of.

/// A part of the page.
pub(crate) struct Part {
    /// By which it is asked for.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) about: &'static str,
    /// What its sizes count, where there are several.
    pub(crate) sizes: &'static str,
}

pub(crate) const PARTS: [Part; 15] = [
    Part {
        id: "search",
        title: "Narrow Search beside tantivy and FTS5, in one process",
        about: "All three keep the same passages and are asked the same 40 queries, one at a time, for the best six with their \
titles and texts, each query once before as warm-up; a sample is the whole set, and what is told is its time by query. The rivals are bare: one tokenizer that folds case and accents, \
the title weighed five times, texts stored beside the index. `tusab-index` does more for a query, and pays for it here: \
it analyses words by language, searches literally beside BM25, looks for titles, puts near-duplicates last and explains \
each hit; its texts come from the store that is the truth, not from a copy. Seeded passages are 45 made-up words, as \
frequent as words are in real texts; \"shared data\" are the first 10,000 passages of real collections. Writing is timed \
from the texts to the moment in which all is durable and found; tantivy and FTS5 write one structure, ours two (a store \
and an index that follows it). tantivy goes on merging in the background after that.",
        sizes: "passages",
    },
    Part {
        id: "lexical",
        title: "Narrow Search beside Python's libraries",
        about: "Each side is a process of its own, in turns, on the same passages with the same queries: three words of \
middling frequency of one passage, one query at a time, the first five asked before as warm-up. Ours gives six passages \
with their texts from the disk and has written everything durably when its build ends; rank_bm25 and bm25s give the \
numbers of twelve passages, keep everything in memory and write nothing; tantivy and FTS5 give twelve numbers. bm25s \
compiles with numba, which happens while it is built and warmed up. Ours reads and unpacks the corpus while it builds; \
that of the others is read before their clock starts, so our build time holds more. Peak memory is of the whole process, \
corpus included where a side keeps it (all but ours).",
        sizes: "passages",
    },
    Part {
        id: "chunk",
        title: "Cutting texts",
        about: "Windows of 2,000 characters with 200 of overlap. Our spans and text-splitter's slices are the windows \
alone, the same work. Then both sides build owned chunks: ours carry their hashed identity and their offsets in bytes and \
characters, those of text-splitter are copies of its slices. text-splitter looks for the best cut in another way, and its \
time grows faster than the text; so it is not measured at every size. Both find a heap that keeps what was freed, as in a \
program that has run for a while; a first text costs ours a third more (benches/src/bin/chunk_growth.rs).",
        sizes: "MB of text",
    },
    Part {
        id: "models",
        title: "Cross-encoder and key phrases beside PyTorch",
        about: "Ours runs quantised models (8-bit integers) on ONNX Runtime; the peers run 32-bit models on PyTorch, as \
the Python libraries do by default: a part of the difference is that of the numbers, not of the code. The peer's \
cross-encoder has our model's shape (12 layers of 384) with weights drawn at random, since its time does not depend on \
them; scores are not compared here. Only \"tusab, reads all\" does the peer's job of reading whole passages; \"tusab, by \
default\" reads the window of each passage that looks best. PyTorch is warmed up with one whole run, ours with none for \
key phrases, whose cache begins empty; the time to load a model is in neither. Two threads on both sides; PyTorch's \
threads wait for each other without rest, so on a busy machine its times say nothing.",
        sizes: "characters of a passage",
    },
    Part {
        id: "rerank",
        title: "The models alone, by runtime",
        about: "Twelve passages and a question that was never asked before, on ONNX Runtime and on rten (pure Rust).",
        sizes: "",
    },
    Part {
        id: "vectors",
        title: "Search by meaning",
        about: "768 numbers a vector, the best 12. \"reading rows\" and \"reading codes\" read the same bytes from memory \
with all processors and do nothing with them: no scan can be faster.",
        sizes: "vectors",
    },
    Part {
        id: "captions",
        title: "Captions",
        about: "From the bytes of the file to what is said, repetitions collapsed.",
        sizes: "cues",
    },
    Part {
        id: "chats",
        title: "Chats and meetings",
        about: "From the bytes of the file, whose format is recognised, to its turns.",
        sizes: "messages or cues",
    },
    Part {
        id: "documents",
        title: "Documents",
        about: "From the bytes of a file of 1 MiB of prose.",
        sizes: "",
    },
    Part {
        id: "llm",
        title: "Streamed answers",
        about: "The decoders alone, the same over HTTP from a server on the same machine, how soon a piece reaches the \
caller, and a hundred answers at once on one thread.",
        sizes: "",
    },
    Part {
        id: "engine",
        title: "End to end, with models that cost nothing",
        about: "What the engine adds to its parts: files taken in until they are durable and found, searches, and an \
answer with its history on the disk.",
        sizes: "documents",
    },
    Part {
        id: "growth",
        title: "A project as it grows",
        about: "The example `growth`: documents taken in until they are durable and found, the same again unchanged, \
synchronising (the second and third time), opening the project again. Files of 5 KB, no key phrases.",
        sizes: "documents",
    },
    Part {
        id: "load",
        title: "Many conversations at once",
        about: "The example `load`: conversations that ask as fast as they are answered, by a model that answers at once, \
each answer with its history on the disk. With more conversations than processors, most of a time is waiting.",
        sizes: "conversations",
    },
    Part {
        id: "carry",
        title: "Carrying a project",
        about: "The example `carry`: a project written into one file, and made again of it.",
        sizes: "chunks",
    },
    Part {
        id: "quality",
        title: "How good, for that time",
        about: "The example `evaluate` on judged collections; how good the search is in full is told in \
[quality.md](quality.md). A Broad Search reads twelve passages and more with the cross-encoder. The time of indexing \
holds, in Broad, that of the vectors.",
        sizes: "",
    },
];
