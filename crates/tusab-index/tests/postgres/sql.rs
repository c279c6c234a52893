//! Statements that an administrator runs.

use tokio_postgres::NoTls;

use crate::server::Server;

/// Runs statements in the database of the tests.
pub(crate) fn run(server: &Server, statements: &[&str]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let address = server.options("postgres").address;
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        let driver = tokio::spawn(connection);
        // One by one: some may not stand in a transaction.
        for statement in statements {
            client.batch_execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error:?}"));
        }
        drop(client);
        driver.await.unwrap().unwrap();
    });
}
