//! The description of every route as OpenAPI 3.1, made from the table of routes and the types.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use schemars::transform::ReplaceBoolSchemas;
use serde_json::{Map, Value, json};

use super::problem::PROBLEM_JSON;
use super::table::{JSON, Route};
use crate::wire::http::ProblemDetails;

/// What can go wrong wherever something is asked.
const PROBLEMS: [u16; 5] = [400, 401, 403, 500, 503];
/// What else can go wrong with a body.
const BODY_PROBLEMS: [u16; 4] = [408, 413, 415, 422];
const DEFINITIONS: &str = "/components/schemas";

/// Returns the description as JSON.
pub(super) fn document(table: &[Route]) -> String {
    // Makers of clients do not know that `true` is a schema, too.
    let mut plain = ReplaceBoolSchemas::default();
    plain.skip_additional_properties = true;
    let settings = || {
        SchemaSettings::draft2020_12()
            .with(|s| s.definitions_path = DEFINITIONS.into())
            .with_transform(plain.clone())
    };
    let mut generators = Generators {
        read: settings().for_deserialize().into_generator(),
        written: settings().for_serialize().into_generator(),
    };
    let problem = generators.written.subschema_for::<ProblemDetails>();
    let mut paths = Map::new();
    for route in table {
        for path in route.paths() {
            let operation = operation(route, &path, &mut generators, &problem);
            let item = paths
                .entry(path.replace("{*", "{"))
                .or_insert_with(|| json!({}));
            item[route.method] = operation;
        }
    }
    let mut schemas = generators.written.take_definitions(true);
    schemas.extend(generators.read.take_definitions(true));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kenning",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Find the right passage in your notes, by exact word and by meaning.",
        },
        "servers": [{"url": "/"}],
        // Nobody needs a token unless clients are configured.
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
    .to_string()
}

/// What comes in may leave out what has a default; what goes out is always whole.
struct Generators {
    read: SchemaGenerator,
    written: SchemaGenerator,
}

fn operation(
    route: &Route,
    path: &str,
    generators: &mut Generators,
    problem: &schemars::Schema,
) -> Value {
    let mut parameters = path_parameters(path);
    if let Some(query) = route.query {
        parameters.extend(query_parameters(&query(&mut generators.read).to_value()));
    }
    let mut responses = Map::new();
    for (status, kind, schema) in &route.answers {
        let schema = schema(&mut generators.written);
        let response = responses
            .entry(status.to_string())
            .or_insert_with(|| json!({"description": route.summary, "content": {}}));
        response["content"][*kind] = json!({"schema": schema});
    }
    let mut problems = PROBLEMS.to_vec();
    problems.extend(&route.problems);
    if path.contains('{') {
        problems.push(404);
    }
    if route.query.is_some() {
        problems.push(422);
    }
    if route.body.is_some() {
        problems.extend(BODY_PROBLEMS);
    }
    problems.sort_unstable();
    for status in problems {
        let response = responses.entry(status.to_string());
        let response = response.or_insert_with(|| failure(status));
        response["content"][PROBLEM_JSON] = json!({"schema": problem});
    }
    let mut operation = json!({
        "operationId": operation_id(route.method, path),
        "summary": route.summary,
        "responses": responses,
    });
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = route.body {
        let schema = body(&mut generators.read);
        operation["requestBody"] = json!({"required": true, "content": {JSON: {"schema": schema}}});
        if let Some(form) = route.form {
            let told = "The same fields as parts; whatever has a file name is a file or a picture.";
            let schema = json!({"type": "object", "description": told});
            operation["requestBody"]["content"][form] = json!({"schema": schema});
        }
    }
    operation
}

fn failure(status: u16) -> Value {
    let reason = axum::http::StatusCode::from_u16(status).ok();
    let reason = reason.and_then(|status| status.canonical_reason());
    json!({"description": reason.unwrap_or("Error"), "content": {}})
}

fn path_parameters(path: &str) -> Vec<Value> {
    let names = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next());
    names
        .map(|name| {
            let name = name.trim_start_matches('*');
            let description = match name {
                "domain" => "Name of a domain",
                _ => "Path, name, alias or #id of a note",
            };
            json!({
                "name": name,
                "in": "path",
                "required": true,
                "description": description,
                "schema": {"type": "string", "minLength": 1},
            })
        })
        .collect()
}

/// Turns the fields of an object into parameters.
fn query_parameters(object: &Value) -> Vec<Value> {
    let required = object["required"].as_array();
    let properties = object["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, schema)| {
            let mut schema = without_null(schema.clone());
            let description = schema
                .as_object_mut()
                .and_then(|schema| schema.remove("description"));
            json!({
                "name": name,
                "in": "query",
                "required": required.is_some_and(|names| names.iter().any(|own| own == name)),
                "description": description,
                "schema": schema,
            })
        })
        .collect()
}

/// A parameter is left out, never null.
fn without_null(mut schema: Value) -> Value {
    let is_null = |value: &Value| *value == "null" || value["type"] == "null";
    if let Some(types) = schema["type"].as_array_mut() {
        types.retain(|kind| !is_null(kind));
        if let [kind] = types.as_slice() {
            schema["type"] = kind.clone();
        }
    }
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    if object.get("type").is_some_and(Value::is_null) {
        object.remove("type");
    }
    if let Some(Value::Array(mut choices)) = object.remove("anyOf") {
        choices.retain(|choice| !is_null(choice));
        match choices.as_slice() {
            [Value::Object(only)] => object.extend(only.clone()),
            _ => {
                object.insert("anyOf".to_owned(), choices.into());
            }
        }
    }
    schema
}

fn operation_id(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric());
    let mut id = method.to_owned();
    for word in words.filter(|word| !word.is_empty()) {
        id.push('_');
        id.push_str(word);
    }
    id
}

#[cfg(test)]
mod tests {
    use super::super::routes;
    use super::*;

    #[test]
    fn every_reference_leads_somewhere_and_every_id_is_its_own() {
        let document: Value = serde_json::from_str(&document(&routes::table())).unwrap();
        let mut references = Vec::new();
        collect(&document, "$ref", &mut references);
        assert!(references.len() > 50);
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        let mut ids = Vec::new();
        collect(&document, "operationId", &mut ids);
        let n_ids = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), n_ids);
    }

    fn collect(value: &Value, key: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    match value {
                        Value::String(text) if name == key => found.push(text.clone()),
                        value => collect(value, key, found),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, key, found)),
            _ => {}
        }
    }

    #[test]
    fn what_makers_of_clients_do_not_know_is_not_there() {
        let document: Value = serde_json::from_str(&document(&routes::table())).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (name, schema) in schemas {
            check_plain(schema, name);
        }
    }

    /// Every property is an object, and what is put together names whole schemas.
    #[track_caller]
    fn check_plain(schema: &Value, place: &str) {
        assert!(schema.is_object(), "{place}: {schema}");
        let properties = schema["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            check_plain(property, &format!("{place}.{name}"));
        }
        for list in ["oneOf", "anyOf", "allOf"] {
            for choice in schema[list].as_array().into_iter().flatten() {
                let is_whole = choice["type"].is_string() || choice["$ref"].is_string();
                assert!(is_whole, "{place} {list}: {choice}");
                check_plain(choice, place);
            }
        }
        if !schema["items"].is_null() {
            check_plain(&schema["items"], place);
        }
    }

    #[test]
    fn parameters_tell_their_bounds() {
        let document: Value = serde_json::from_str(&document(&routes::table())).unwrap();
        let parameters = document["paths"]["/search"]["get"]["parameters"]
            .as_array()
            .unwrap();
        let of = |name: &str| parameters.iter().find(|p| p["name"] == name).unwrap();
        assert_eq!(of("q")["required"], true);
        assert_eq!(of("q")["schema"]["minLength"], 1);
        assert_eq!(of("k")["schema"]["type"], "integer");
        assert_eq!(of("k")["schema"]["maximum"], 1000);
        assert_eq!(of("mode")["schema"]["$ref"], "#/components/schemas/Mode");
        assert_eq!(of("min_score")["schema"]["maximum"], 1);
    }
}
