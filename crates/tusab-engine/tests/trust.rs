//! What an answer says of itself: whether there is context, how likely, and what of it stands in its sources.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod common_trust {
    use std::path::Path;
    use std::sync::Arc;

    use tusab_engine::llm::testing::{Answer, ScriptedModel};
    use tusab_engine::{Cancel, Engine, Project, Source};

    pub(crate) const TEXTS: [(&str, &str); 5] = [
        (
            "Hortelã",
            "A hortelã aceita meia sombra. Ela precisa de três ou quatro horas de sol pela manhã. A terra deve ficar úmida.",
        ),
        (
            "Manjericão",
            "O manjericão quer seis horas de sol por dia. Em 2019 a Dra. Helena Prado mediu 1.250 folhas por planta.",
        ),
        (
            "Compostagem",
            "A caixa de compostagem tem três bandejas. O líquido da última bandeja é diluído em dez partes de água.",
        ),
        (
            "Regras do prédio",
            "As reuniões do condomínio acontecem na primeira terça-feira do mês, às 19h30, no salão.",
        ),
        (
            "Bicicletas",
            "O bicicletário comporta doze bicicletas. Cada apartamento tem direito a duas vagas numeradas.",
        ),
    ];

    /// A project with the texts, whose model says what the script says.
    pub(crate) async fn project(data: &Path, script: &[&str]) -> Project {
        let mut engine = Engine::builder().data_dir(data);
        if !script.is_empty() {
            let model =
                script.iter().fold(ScriptedModel::new(), |model, text| model.then(Answer::text(text)));
            engine = engine.model(Arc::new(model));
        }
        let project = engine.build().unwrap().project("Casa").await.unwrap();
        let sources = TEXTS.iter().map(|(title, text)| Source::text(*title, *text)).collect();
        let report = project.ingest_all(sources, &Cancel::new()).await.unwrap();
        assert_eq!(report.failed(), 0, "{report:?}");
        project
    }
}

#[path = "trust/answers.rs"]
mod answers;
#[path = "trust/context.rs"]
mod context;
#[path = "trust/support.rs"]
mod support;
