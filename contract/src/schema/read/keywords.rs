//! Which keywords of JSON Schema assert something. All others, those that nobody knows included, are annotations (2020-12, 6.5 and 7.7).

/// The keywords that assert, of 2020-12 and of the drafts before it, by the kind of value that they speak of; `""` is any.
const ASSERTIONS: [(&str, &[&str]); 5] = [
    (
        "",
        &[
            "type",
            "enum",
            "const",
            "$ref",
            "$dynamicRef",
            "$recursiveRef",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "disallow",
            "extends",
        ],
    ),
    ("string", &["minLength", "maxLength", "pattern", "format"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "divisibleBy"]),
    (
        "array",
        &[
            "items",
            "prefixItems",
            "additionalItems",
            "unevaluatedItems",
            "contains",
            "minContains",
            "maxContains",
            "minItems",
            "maxItems",
            "uniqueItems",
        ],
    ),
    (
        "object",
        &[
            "properties",
            "patternProperties",
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
            "required",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
        ],
    ),
];

/// The formats of JSON Schema that the type model does not have. A format that JSON Schema does not have either asserts nothing.
const FORMATS_BEYOND: [&str; 14] = [
    "time",
    "duration",
    "hostname",
    "idn-hostname",
    "idn-email",
    "ipv4",
    "ipv6",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Whether a keyword can say no to a value of the kind; to one of any kind, where it is empty.
pub(super) fn asserts(keyword: &str, kind: &str) -> bool {
    ASSERTIONS.iter().any(|(of, keywords)| (of.is_empty() || kind.is_empty() || *of == kind) && keywords.contains(&keyword))
}

/// Whether a format is one that a validator asserts and the type model lacks.
pub(super) fn is_format_beyond(name: &str) -> bool {
    FORMATS_BEYOND.contains(&name)
}
