//! Options of attributes: `name`, `name = value`, between commas.

use djo_contract::issue::nearest;
use djo_contract::value::Value;
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, Result, Token};

use crate::literal::Literal;

/// One option.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) span: Span,
    value: Option<Literal>,
}

impl Parse for Given {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = Ident::parse_any(input)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Self { name: name.unraw().to_string(), span: name.span(), value })
    }
}

impl Given {
    /// Its value.
    pub(crate) fn value(&self) -> Result<&Literal> {
        self.value.as_ref().ok_or_else(|| Error::new(self.span, format!("`{}` precisa de um valor: `{} = …`", self.name, self.name)))
    }

    pub(crate) fn text(&self) -> Result<String> {
        match self.value()? {
            Literal { value: Value::Str(text), .. } => Ok(text.clone()),
            Literal { value, span } => Err(self.wrong("um \"texto\"", value, *span)),
        }
    }

    pub(crate) fn bool(&self) -> Result<bool> {
        match &self.value {
            None => Ok(true),
            Some(Literal { value: Value::Bool(flag), .. }) => Ok(*flag),
            Some(Literal { value, span }) => Err(self.wrong("true ou false", value, *span)),
        }
    }

    /// A whole number within bounds.
    pub(crate) fn number(&self, least: i64, most: u32) -> Result<u32> {
        let Literal { value, span } = self.value()?;
        let number = value.as_int().filter(|number| *number >= least && *number <= i64::from(most));
        number.and_then(|number| u32::try_from(number).ok()).ok_or_else(|| self.wrong(&format!("um Int de {least} a {most}"), value, *span))
    }

    /// One of a few words.
    pub(crate) fn choice(&self, words: &[&str]) -> Result<String> {
        let text = self.text()?;
        if words.contains(&text.as_str()) {
            return Ok(text);
        }
        Err(Error::new(self.value()?.span, format!("`{}` é um destes: {}", self.name, words.join(", "))))
    }

    fn wrong(&self, wanted: &str, value: &Value, span: Span) -> Error {
        Error::new(span, format!("`{}` deve ser {wanted}, mas veio {}", self.name, value.djo_kind()))
    }
}

/// The options of one thing.
#[derive(Clone, Default)]
pub(crate) struct Options(Vec<Given>);

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let given: Punctuated<Given, Token![,]> = Punctuated::parse_terminated(input)?;
        let options = Self(given.into_iter().collect());
        match (1..options.0.len()).find(|&at| options.0[..at].iter().any(|earlier| earlier.name == options.0[at].name)) {
            Some(at) => Err(Error::new(options.0[at].span, format!("`{}` aparece duas vezes", options.0[at].name))),
            None => Ok(options),
        }
    }
}

impl Options {
    /// Takes the `#[djo(…)]` attributes away from others.
    pub(crate) fn take_from(attributes: &mut Vec<Attribute>) -> Result<Self> {
        let mut all = Self::default();
        for attribute in attributes.extract_if(.., |attribute| attribute.path().is_ident("djo")) {
            all.0.extend(attribute.parse_args::<Self>()?.0);
        }
        Ok(all)
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Given> {
        let at = self.0.iter().position(|given| given.name == name)?;
        Some(self.0.remove(at))
    }

    /// Forgets all but what says what an absent member is.
    pub(crate) fn retain_default(&mut self) {
        self.0.retain(|given| matches!(given.name.as_str(), "default" | "nocall"));
    }

    /// All that is left, in order.
    pub(crate) fn drain(&mut self) -> Vec<Given> {
        std::mem::take(&mut self.0)
    }

    /// An option that is left is one that nobody knows.
    pub(crate) fn finish(self, known: &[&str]) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(given) => Err(unknown(given, known)),
        }
    }
}

/// The error for an option that does not exist.
pub(crate) fn unknown(given: &Given, known: &[&str]) -> Error {
    let hint = match nearest(&given.name, known.iter().copied()) {
        Some(near) => format!("você quis dizer `{near}`?"),
        None => format!("existem {}", known.join(", ")),
    };
    Error::new(given.span, format!("a opção `{}` não existe: {hint}", given.name))
}
