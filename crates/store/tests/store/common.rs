//! Both backends for a test: an empty SQLite file, an empty database of a real PostgreSQL.

use sprag_store::testing::{self, Server};
use sprag_store::{Opening, Store, Target};
use std::path::PathBuf;
use std::sync::Arc;

/// An empty store of one kind, and what keeps it.
pub(crate) struct TestStore {
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    /// The address as configuration has it.
    pub(crate) url: String,
    pub(crate) file: Option<PathBuf>,
    _dir: Option<tempfile::TempDir>,
    _server: Option<Arc<Server>>,
}

impl TestStore {
    pub(crate) fn open(&self) -> Store {
        Store::open(&self.target, Opening::WORKER).unwrap()
    }
}

pub(crate) fn sqlite() -> TestStore {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("deep/sprag.db");
    let url = format!("sqlite:{}", file.display());
    TestStore {
        name: "sqlite",
        target: Target::Sqlite(file.clone()),
        url,
        file: Some(file),
        _dir: Some(dir),
        _server: None,
    }
}

pub(crate) fn postgres() -> Option<TestStore> {
    let server = testing::server()?;
    let url = server.database();
    let target = Target::parse(&url, &PathBuf::new()).unwrap();
    Some(TestStore { name: "postgres", target, url, file: None, _dir: None, _server: Some(server) })
}

/// Runs a test on every backend.
pub(crate) fn on_each(test: impl Fn(&TestStore)) {
    test(&sqlite());
    if let Some(place) = postgres() {
        test(&place);
    }
}
