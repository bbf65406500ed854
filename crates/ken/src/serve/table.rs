//! One row per route: what it is called, what it takes and answers, and who handles it. Router and
//! description are made from the same rows, so neither can know a route that the other does not.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{Next, from_fn};
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::App;
use super::input::check_names;

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
    /// The parameters, as an object.
    pub(super) query: Option<SchemaOf>,
    /// The body.
    pub(super) body: Option<SchemaOf>,
    /// Status, content type and schema of what it answers.
    pub(super) answers: Vec<(u16, &'static str, SchemaOf)>,
    /// Status codes of what can go wrong, beside what can everywhere.
    pub(super) problems: Vec<u16>,
    handler: MethodRouter<App>,
}

/// Begins a row for something that is asked.
pub(super) fn get<H: Handler<T, App>, T: 'static>(path: &'static str, handler: H) -> Route {
    row("get", path, on(MethodFilter::GET, handler))
}

/// Begins a row for something that is sent.
pub(super) fn post<H: Handler<T, App>, T: 'static>(path: &'static str, handler: H) -> Route {
    row("post", path, on(MethodFilter::POST, handler))
}

fn row(method: &'static str, path: &'static str, handler: MethodRouter<App>) -> Route {
    Route {
        method,
        path,
        summary: "",
        is_per_domain: true,
        query: None,
        body: None,
        answers: Vec::new(),
        problems: Vec::new(),
        handler,
    }
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

    /// Takes the fields of `T` as parameters.
    pub(super) fn takes<T: JsonSchema>(self) -> Self {
        Self {
            query: Some(T::json_schema),
            ..self
        }
    }

    /// Takes a body.
    pub(super) fn reads<T: JsonSchema>(self) -> Self {
        Self {
            body: Some(SchemaGenerator::subschema_for::<T>),
            ..self
        }
    }

    pub(super) fn answers<T: JsonSchema>(self) -> Self {
        self.answers_as::<T>(200, JSON)
    }

    pub(super) fn answers_as<T: JsonSchema>(mut self, status: u16, kind: &'static str) -> Self {
        self.answers
            .push((status, kind, SchemaGenerator::subschema_for::<T>));
        self
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
        let handler = route.handler.route_layer(check);
        for path in paths {
            router = router.route(&path, handler.clone());
        }
    }
    router
}
