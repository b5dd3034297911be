//! Connections and control: accepts clients, finds out what they want, and answers.
//! Streams are played in `play`.

use std::io;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::dialect::Dialect;
use super::http::{Reader, Request, Writer};
use super::play::{Outcome, play};
use super::script::Script;
use super::state::{Recorded, State};

/// Accepts until `stopped`.
pub(super) async fn serve(listener: std::net::TcpListener, state: Arc<State>, stopped: oneshot::Receiver<()>) {
    let accepting = async {
        let listener = TcpListener::from_std(listener)?;
        loop {
            let (socket, _) = listener.accept().await?;
            state.connected();
            let state = state.clone();
            tokio::spawn(async move {
                // A connection that breaks is an ordinary end of it.
                let _ = converse(socket, &state).await;
            });
        }
    };
    tokio::select! {
        _ = stopped => {}
        ended = accepting => {
            let error: io::Result<()> = ended;
            debug_assert!(error.is_ok(), "the fake server stopped accepting: {error:?}");
        }
    }
}

/// Answers one request after the other on one connection.
async fn converse(socket: TcpStream, state: &State) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let (reading, writing) = socket.into_split();
    let (mut reader, mut writer) = (Reader::new(reading), Writer::new(writing));
    while let Some(request) = reader.request().await? {
        let path = request.path.split('?').next().unwrap_or_default().to_owned();
        let dialect = Dialect::of_path(&path).filter(|_| request.method == "POST");
        if let Some(dialect) = dialect {
            let (asked, reply) = state.take(recorded(request, dialect));
            let number = asked.number;
            let mut speaker = dialect.speaker(asked);
            match play(&reply, speaker.as_mut(), &mut reader, &mut writer, state).await {
                Ok(Outcome::Whole) => {
                    state.ended(number);
                    continue;
                }
                Ok(Outcome::Broken) => return Ok(()),
                Err(error) => {
                    state.left();
                    return Err(error);
                }
            }
        }
        let (status, document) = control(&request, &path, state);
        let headers = [("content-type".to_owned(), "application/json".to_owned())];
        writer.whole(status, &headers, document.to_string().as_bytes()).await?;
    }
    Ok(())
}

fn recorded(request: Request, dialect: Dialect) -> Recorded {
    Recorded {
        dialect,
        authorization: request.header("authorization").map(str::to_owned),
        api_key: request.header("x-api-key").map(str::to_owned),
        version: request.header("anthropic-version").map(str::to_owned),
        body: String::from_utf8_lossy(&request.body).into_owned(),
        headers: request.headers,
        path: request.path,
    }
}

fn listed(requests: Vec<Recorded>) -> Value {
    let requests = requests.into_iter().map(|request| {
        let body = serde_json::from_str(&request.body).unwrap_or(Value::String(request.body));
        json!({ "path": request.path, "authorization": request.authorization, "body": body })
    });
    requests.collect()
}

fn control(request: &Request, path: &str, state: &State) -> (u16, Value) {
    match (request.method.as_str(), path) {
        ("GET", "/__requests") => (200, listed(state.requests())),
        ("GET", "/__asides") => (200, listed(state.asides())),
        ("GET", "/__violations") => (200, state.violations().into()),
        ("GET", "/__state") => (200, state.summary()),
        ("POST", "/__script") => match Script::parse(&String::from_utf8_lossy(&request.body)) {
            Ok(script) => {
                state.restart(script);
                (200, json!({}))
            }
            Err(error) => (400, json!({ "error": { "message": error.to_string() } })),
        },
        ("POST", path) if path.starts_with("/__release/") => {
            state.release(&path["/__release/".len()..]);
            (200, json!({}))
        }
        ("GET", path) => match state.document(path) {
            Some(document) => (200, document),
            None => (404, json!({ "error": { "message": format!("nothing at {path}") } })),
        },
        (method, path) => (404, json!({ "error": { "message": format!("no {method} at {path}") } })),
    }
}
