//! Projects: a name for a workspace folder. A removed one keeps its row, so that its conversations keep their place.
//! It never looks at the folder.

use assent_protocol::ids::ProjectId;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::StoreError;
use crate::migrate::Migration;
use crate::reply::Reply;
use crate::store::{Durability, Store};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "
        CREATE TABLE projects (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            folder TEXT NOT NULL,
            opened_at INTEGER NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        -- Removed ones too: opening the folder again brings its project back.
        CREATE UNIQUE INDEX projects_by_folder ON projects (folder);
    ",
}];

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// Canonical root of its workspace.
    pub folder: String,
    /// When it was opened first: milliseconds since 1970.
    pub opened_at: i64,
    /// Whether it was taken off the list.
    pub removed: bool,
}

const COLUMNS: &str = "id, name, folder, opened_at, removed";

impl Store {
    /// Projects on the list, by name.
    pub fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM projects WHERE NOT removed ORDER BY name COLLATE NOCASE, folder"
            ))?;
            let projects = statement.query_map([], read)?;
            Ok(projects.collect::<Result<_, _>>()?)
        })
    }

    /// One project, removed or not.
    pub fn project(&self, project: &ProjectId) -> Result<Option<Project>, StoreError> {
        let project = project.clone();
        self.read(move |connection| one(connection, "id", project.as_str()))
    }

    /// Puts a folder on the list. A folder that is known keeps its id and name and comes back if it was removed;
    /// what is returned is the project as it is now.
    pub fn insert_project(&self, id: &ProjectId, name: &str, folder: &str, at: i64) -> Reply<Project> {
        let (id, name, folder) = (id.clone(), name.to_owned(), folder.to_owned());
        self.write(Durability::Full, move |writing| {
            writing.execute(
                "INSERT INTO projects (id, name, folder, opened_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (folder) DO UPDATE SET removed = 0",
                params![id.as_str(), name, folder, at],
            )?;
            one(writing, "folder", &folder)?.ok_or(StoreError::Closed)
        })
    }

    /// Renames a project; false: there is no such project.
    pub fn rename_project(&self, project: &ProjectId, name: &str) -> Reply<bool> {
        self.change(project, "name = ?2", name.to_owned())
    }

    /// Takes a project off the list; false: there is no such project. Its conversations stay.
    pub fn remove_project(&self, project: &ProjectId) -> Reply<bool> {
        self.change(project, "removed = ?2", true)
    }

    /// Points a project at the place where its folder is now; false: there is no such project. Fails when another
    /// project has that folder.
    pub fn locate_project(&self, project: &ProjectId, folder: &str) -> Reply<bool> {
        self.change(project, "folder = ?2, removed = 0", folder.to_owned())
    }

    fn change(
        &self,
        project: &ProjectId,
        set: &'static str,
        value: impl rusqlite::ToSql + Send + 'static,
    ) -> Reply<bool> {
        let project = project.clone();
        self.write(Durability::Full, move |writing| {
            let changed = writing
                .execute(&format!("UPDATE projects SET {set} WHERE id = ?1"), params![project.as_str(), value])?;
            Ok(changed == 1)
        })
    }
}

fn one(connection: &Connection, column: &str, value: &str) -> Result<Option<Project>, StoreError> {
    Ok(connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM projects WHERE {column} = ?1"))?
        .query_row([value], read)
        .optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: ProjectId::new(row.get::<_, String>(0)?),
        name: row.get(1)?,
        folder: row.get(2)?,
        opened_at: row.get(3)?,
        removed: row.get(4)?,
    })
}

#[cfg(test)]
mod tests;
