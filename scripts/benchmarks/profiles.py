"""How much of each part is measured."""

BENCHES = ("search", "chunk", "vectors", "rerank", "captions", "chats", "documents", "llm", "engine")

# `lexical`: corpus, passages, queries, rounds. `quality`: collection, mode, questions.
PROFILES = {
    # Everything once and as little as it can be: to see that it works.
    "smoke": {
        "benches": ("captions",),
        "criterion": ["--quick"],
        "rounds": 1,
        "lexical": [("en", 1_000, 20, 1)],
        "characters": [400],
        "model_rounds": 1,
        "growth": [50],
        "load": [(2, 1)],
        "carry": [200],
        "quality": [("faquad", "narrow", 20), ("faquad", "broad", 3)],
    },
    "short": {
        "benches": BENCHES,
        "criterion": ["--quick"],
        "rounds": 2,
        "lexical": [("en", 10_000, 200, 3), ("en", 100_000, 100, 1)],
        "characters": [768, 2_000],
        "model_rounds": 1,
        "growth": [100, 1_000],
        "load": [(1, 3), (16, 3)],
        "carry": [5_000],
        "quality": [("scifact", "narrow", 100), ("cranfield", "narrow", 100), ("faquad", "narrow", 100)]
        + [("faquad", "broad", 30)],
    },
    "full": {
        "benches": BENCHES,
        "criterion": [],
        "rounds": 5,
        "lexical": [("en", 1_000, 200, 5), ("en", 10_000, 200, 5), ("en", 100_000, 200, 5)]
        + [("pt", 10_000, 200, 5), ("en", 327_347, 100, 1)],
        "characters": [768, 2_000],
        "model_rounds": 3,
        "growth": [100, 1_000, 10_000],
        "load": [(1, 10), (4, 10), (16, 10), (64, 10)],
        "carry": [5_000, 50_000, 100_000],
        "quality": [
            (collection, mode, questions)
            for mode, questions in (("narrow", 600), ("broad", 100))
            for collection in ("scifact", "cranfield", "faquad", "aia-bde")
        ],
    },
}
