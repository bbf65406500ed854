//! What the signature of a handler says about its route: parameters, body and answer. None of it is
//! written down a second time, so the description cannot promise what the handler does not do.

use std::future::Future;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use schemars::{JsonSchema, SchemaGenerator};

use super::App;
use super::form::{FORM, SentQuestion};
use super::health::Told;
use super::input::{Asking, At, Every, Id, NotePath, Params, Sent};
use super::problem::Problem;
use super::reply::{Created, Reply};
use super::table::{JSON, Route};
use crate::wire::http::HealthResponse;
use crate::wire::rag::RagParams;

/// An argument of a handler or what it returns. Most say nothing about the route.
pub(super) trait Part {
    fn describe(_: &mut Route) {}
}

impl Part for State<App> {}
impl Part for At {}
impl Part for Every {}
impl Part for Asking {}
impl Part for Id {}
impl Part for NotePath {}
impl Part for HeaderMap {}
impl Part for Uri {}
impl Part for Response {}
impl Part for Problem {}

impl<T: JsonSchema> Part for Params<T> {
    fn describe(route: &mut Route) {
        route.query = Some(T::json_schema);
    }
}

impl<T: JsonSchema> Part for Sent<T> {
    fn describe(route: &mut Route) {
        route.body = Some(SchemaGenerator::subschema_for::<T>);
    }
}

impl Part for SentQuestion {
    fn describe(route: &mut Route) {
        route.body = Some(SchemaGenerator::subschema_for::<RagParams>);
        route.form = Some(FORM);
    }
}

impl<T: JsonSchema> Part for Reply<T> {
    fn describe(route: &mut Route) {
        route.add_answer::<T>(200, JSON);
    }
}

impl<T: JsonSchema> Part for Json<T> {
    fn describe(route: &mut Route) {
        route.add_answer::<T>(200, JSON);
    }
}

impl Part for Told {
    fn describe(route: &mut Route) {
        route.add_answer::<HealthResponse>(200, JSON);
        route.add_answer::<HealthResponse>(503, JSON);
    }
}

impl<T: JsonSchema> Part for Created<T> {
    fn describe(route: &mut Route) {
        route.add_answer::<T>(201, JSON);
    }
}

impl<T: Part> Part for Result<T, Problem> {
    fn describe(route: &mut Route) {
        T::describe(route);
    }
}

/// A handler whose arguments and answer describe its route. `T` are its arguments, as axum has them.
pub(super) trait Signature<T> {
    fn describe(route: &mut Route);
}

macro_rules! signature {
    ($($part:ident)*) => {
        impl<F, Fut, R, M, $($part),*> Signature<(M, $($part,)*)> for F
        where
            F: Fn($($part),*) -> Fut,
            Fut: Future<Output = R>,
            R: Part,
            $($part: Part),*
        {
            fn describe(route: &mut Route) {
                $($part::describe(route);)*
                R::describe(route);
            }
        }
    };
}

signature!();
signature!(A);
signature!(A B);
signature!(A B C);
signature!(A B C D);
