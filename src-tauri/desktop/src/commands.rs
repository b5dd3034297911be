//! What happens when the page calls a command: the shell's are functions, a line or two each; the engine's are methods of
//! the protocol and handed on. No command decides anything.

use assent_protocol::failure::{Code, Failure};
use assent_protocol::ids::{ConversationId, ProjectId};
use assent_protocol::request::{METHODS, Request, Response};
use assent_protocol::signal::Signal;
use assent_protocol::snapshot::{ConversationRow, ExportFormat};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tauri::ipc::{Channel, Invoke, InvokeBody};
use tauri::{AppHandle, Manager as _, Runtime, State, Webview};

use crate::backend::Backend;
use crate::closing;
use crate::folder::LaunchFolder;
use crate::saving;
use crate::signals::Listeners;

/// Routes each call of the page. Tauri has asked the capabilities before.
pub(crate) fn dispatch<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    let shell = functions();
    move |invoke| {
        if METHODS.contains(&invoke.message.command()) {
            hand_on(invoke);
            true
        } else {
            shell(invoke)
        }
    }
}

/// The window's own commands.
fn functions<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    macro_rules! functions {
        (shell: [$($shell:ident),*] engine: [$($engine:ident),*]) => {
            tauri::generate_handler![$($shell),*]
        };
    }
    commands!(functions)
}

/// Asks the engine at once, so that requests reach it in the order in which the page made them; the answer is waited for and
/// written elsewhere.
fn hand_on<R: Runtime>(invoke: Invoke<R>) {
    let Invoke { message, resolver, .. } = invoke;
    let request = match request(message.command(), message.payload()) {
        Ok(request) => request,
        Err(failure) => return resolver.reject(failure),
    };
    let answer = message.webview_ref().state::<Backend>().ask(request);
    tauri::async_runtime::spawn(async move {
        match answer.await {
            Ok(response) => resolver.resolve(response),
            Err(failure) => resolver.reject(failure),
        }
    });
}

/// The request that a call of the page means: its only argument is `params`.
fn request(method: &str, payload: &InvokeBody) -> Result<Request, Failure> {
    let params = match payload {
        InvokeBody::Json(arguments) => arguments.get("params").cloned().unwrap_or(Value::Null),
        InvokeBody::Raw(_) => Value::Null,
    };
    Request::deserialize(json!({ "method": method, "params": params }))
        .map_err(|error| Failure::new(Code::Invalid, format!("\"{method}\" can't be asked like this: {error}")))
}

/// Answers with the program's version, which shows that the page reaches the backend.
#[tauri::command]
fn ping() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The folder that the latest start of the program named, once: the next call answers `null`.
#[tauri::command]
fn launch_folder(folder: State<'_, LaunchFolder>) -> Option<String> {
    folder.take()
}

/// Sends every signal from now on through `channel`, in batches; what this page subscribed to before ends.
#[tauri::command]
fn subscribe<R: Runtime>(
    webview: Webview<R>,
    channel: Channel<Vec<Signal>>,
    backend: State<'_, Backend>,
    listeners: State<'_, Listeners>,
) {
    listeners.begin(webview.label(), &backend, channel);
}

/// Takes the window out of sight while conversations go on.
#[tauri::command]
fn keep_running<R: Runtime>(app: AppHandle<R>) {
    closing::keep_running(&app);
}

/// Lets a person choose a file and writes the conversation into it; false: they didn't. The page names no path: what is written,
/// and where, it can't choose.
#[tauri::command]
async fn save_export<R: Runtime>(
    app: AppHandle<R>,
    conversation: ConversationId,
    format: ExportFormat,
    title: String,
) -> Result<bool, Failure> {
    let Response::Export(text) = app.state::<Backend>().ask(Request::Export { conversation, format }).await? else {
        return Err(Failure::new(Code::Other, "the engine answered something else"));
    };
    match saving::choose(&app, &title, format).await {
        Some(path) => saving::write(path, text).await.map(|()| true),
        None => Ok(false),
    }
}

/// Lets a person choose a file and takes in the conversation in it; none: they chose no file. The page names no path and sees no
/// text.
#[tauri::command]
async fn import_file<R: Runtime>(
    app: AppHandle<R>,
    project: Option<ProjectId>,
) -> Result<Option<ConversationRow>, Failure> {
    let Some(path) = saving::pick(&app).await else { return Ok(None) };
    let text = saving::read(path).await?;
    match app.state::<Backend>().ask(Request::Import { project, text }).await? {
        Response::Import(row) => Ok(Some(row)),
        _ => Err(Failure::new(Code::Other, "the engine answered something else")),
    }
}

#[cfg(test)]
mod tests;
