//! `scale.md`: an engine on a server, which is compiled and not run here: there may be none.

use std::error::Error;
use std::path::Path;

use tusab_engine::Engine;
use tusab_engine::index::{Postgres, PostgresOptions};

// The lines are those of the page.
#[rustfmt::skip]
fn on_a_server(folder: &Path) -> Result<Engine, Box<dyn Error>> {
    let postgres = Postgres::open(PostgresOptions::new("postgresql://tusab@db.example/team?sslmode=require"))?;
    let engine = Engine::builder().data_dir(folder).store(postgres).build()?;
    Ok(engine)
}

/// Compiling it is the test.
const _: fn(&Path) -> Result<Engine, Box<dyn Error>> = on_a_server;
