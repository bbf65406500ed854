//! One row per route: what it is called, what it takes and answers, and who handles it. Router and
//! description are made from the same rows, so neither can know a route that the other does not.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::Handler;
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::input::check_names;
use super::signature::Signature;
use super::{App, FILES_BYTES_MAX};

pub(super) const JSON: &str = "application/json";

/// Makes the schema of a type.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One route.
pub(super) struct Route {
    pub(super) method: &'static str,
    /// As the router writes it: `{name}` for one part, `{*name}` for the rest.
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// Whether it also stands under `/d/{domain}`.
    pub(super) is_per_domain: bool,
    /// Whether it answers those who have no token, too.
    pub(super) is_open: bool,
    /// Whether files may come with what is sent.
    pub(super) takes_files: bool,
    /// The parameters, as an object.
    pub(super) query: Option<SchemaOf>,
    /// The body.
    pub(super) body: Option<SchemaOf>,
    /// The kind of a form that the body may be instead.
    pub(super) form: Option<&'static str>,
    /// Status, content type and schema of what it answers.
    pub(super) answers: Vec<(u16, &'static str, SchemaOf)>,
    /// Status codes of what can go wrong, besides those of every route.
    pub(super) problems: Vec<u16>,
    handler: MethodRouter<App>,
}

/// Begins a row for something that is asked.
pub(super) fn get<H, T>(path: &'static str, handler: H) -> Route
where
    H: Handler<T, App> + Signature<T>,
    T: 'static,
{
    row::<H, T>("get", path, on(MethodFilter::GET, handler))
}

/// Begins a row for something that is sent.
pub(super) fn post<H, T>(path: &'static str, handler: H) -> Route
where
    H: Handler<T, App> + Signature<T>,
    T: 'static,
{
    row::<H, T>("post", path, on(MethodFilter::POST, handler))
}

/// Begins a row for something that is changed.
pub(super) fn patch<H, T>(path: &'static str, handler: H) -> Route
where
    H: Handler<T, App> + Signature<T>,
    T: 'static,
{
    row::<H, T>("patch", path, on(MethodFilter::PATCH, handler))
}

/// Begins a row for something that is deleted.
pub(super) fn delete<H, T>(path: &'static str, handler: H) -> Route
where
    H: Handler<T, App> + Signature<T>,
    T: 'static,
{
    row::<H, T>("delete", path, on(MethodFilter::DELETE, handler))
}

fn row<H: Signature<T>, T>(
    method: &'static str,
    path: &'static str,
    handler: MethodRouter<App>,
) -> Route {
    let mut route = Route {
        method,
        path,
        summary: "",
        is_per_domain: true,
        is_open: false,
        takes_files: false,
        query: None,
        body: None,
        form: None,
        answers: Vec::new(),
        problems: Vec::new(),
        handler,
    };
    H::describe(&mut route);
    route
}

impl Route {
    pub(super) fn says(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Leaves out the same path under a domain.
    pub(super) fn once(self) -> Self {
        Self {
            is_per_domain: false,
            ..self
        }
    }

    /// Answers everybody, whether they have a token or not.
    pub(super) fn open(self) -> Self {
        Self {
            is_open: true,
            ..self
        }
    }

    /// Takes files, too, and so a larger body.
    pub(super) fn with_files(self) -> Self {
        Self {
            takes_files: true,
            ..self
        }
    }

    /// Says what is answered where the handler's signature does not.
    pub(super) fn answers<T: JsonSchema>(mut self, kind: &'static str) -> Self {
        self.add_answer::<T>(200, kind);
        self
    }

    pub(super) fn add_answer<T: JsonSchema>(&mut self, status: u16, kind: &'static str) {
        self.answers
            .push((status, kind, SchemaGenerator::subschema_for::<T>));
    }

    pub(super) fn may_fail(mut self, statuses: &[u16]) -> Self {
        self.problems.extend(statuses);
        self
    }

    /// Returns every path that the route stands at.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = vec![self.path.to_owned()];
        if self.is_per_domain {
            paths.push(format!("/d/{{domain}}{}", self.path));
        }
        paths
    }

    /// Returns the names of the parameters.
    fn names(&self) -> Vec<String> {
        let schema = self
            .query
            .map(|query| query(&mut SchemaGenerator::default()));
        let properties = schema.and_then(|schema| schema.get("properties").cloned());
        match properties {
            Some(serde_json::Value::Object(properties)) => {
                properties.into_iter().map(|(name, _)| name).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Makes the router. A parameter that a route does not know is refused before its handler.
pub(super) fn router(table: Vec<Route>) -> Router<App> {
    let mut router = Router::new();
    for route in table {
        let names: Arc<[String]> = route.names().into();
        let check = from_fn(move |request: Request, next: Next| {
            let names = Arc::clone(&names);
            async move {
                Ok::<_, Infallible>(match check_names(request.uri(), &names) {
                    Ok(()) => next.run(request).await,
                    Err(problem) => problem.into_response(),
                })
            }
        });
        let paths = route.paths();
        let mut handler = route.handler.route_layer(check);
        if route.takes_files {
            handler = handler.layer(DefaultBodyLimit::max(FILES_BYTES_MAX));
        }
        for path in paths {
            router = router.route(&path, handler.clone());
        }
    }
    router
}
