//! Why a call has no answer. What is said of it goes to the site's code, in Portuguese, and tells nothing about networks that the site
//! cannot reach: that goes into the log.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use djo_contract::fetch::{BadCall, Origin};
use rustls::CertificateError;

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(in crate::sandbox) enum FetchError {
    /// It is no call that can be made, or a redirect leads to one that is not.
    #[error("{0}")]
    Bad(BadCall),
    /// Nobody allowed it.
    #[error("`{0}` não está em `[outbound] allow` no site.toml")]
    NotAllowed(Origin),
    /// The name does not resolve.
    #[error("o host {0} não foi encontrado")]
    NotFound(String),
    /// Nobody says in time where the name leads, or too many names are asked for already.
    #[error("o nome {host} não foi resolvido em {} ms", .time.as_millis())]
    Unresolved {
        /// The name.
        host: String,
        /// The time there was.
        time: Duration,
    },
    /// The name leads out of the public internet, or the address is one that nobody may call.
    #[error("o host {host} leva a um endereço que o site não pode chamar")]
    Prohibited {
        /// As it was called.
        host: String,
        /// Where it leads.
        address: IpAddr,
    },
    /// The run has made all its calls.
    #[error("o pedido já fez as {0} chamadas que pode fazer (`outbound_calls`)")]
    Spent(u32),
    /// Every place of the site was taken until time ran out.
    #[error("o site já faz {0} chamadas ao mesmo tempo")]
    Busy(usize),
    /// Nobody answers there.
    #[error("não foi possível conectar a {0}")]
    Connect(String),
    /// The other side's certificate, or TLS itself.
    #[error("a conexão segura com {host} falhou{fault}")]
    Tls {
        /// Whose.
        host: String,
        /// What about it can be told.
        fault: TlsFault,
        /// What went wrong.
        source: std::io::Error,
    },
    /// It took too long.
    #[error("{host} não respondeu em {} ms", .time.as_millis())]
    TimedOut {
        /// Who.
        host: String,
        /// The time there was.
        time: Duration,
    },
    /// What is sent is larger than the site may send.
    #[error("o corpo enviado passa de {0} bytes")]
    RequestTooLarge(usize),
    /// What came is larger than the site may take.
    #[error("a resposta de {host} passa de {most} bytes")]
    ResponseTooLarge {
        /// Whose.
        host: String,
        /// The most there may be.
        most: usize,
    },
    /// What came is not HTTP, or broke off.
    #[error("a resposta de {host} veio quebrada")]
    Broken {
        /// Whose.
        host: String,
        /// What went wrong.
        source: hyper::Error,
    },
    /// This machine trusts nobody.
    #[error("esta máquina não tem certificados de autoridades: não há como chamar `https://`")]
    NoRoots,
}

/// Why a secure connection was refused, as far as it helps who calls: the certificate is the other side's, the clock and the list of
/// authorities are this machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sandbox) enum TlsFault {
    /// The certificate is for other names.
    Name,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// Nobody whom this machine trusts stands behind it.
    Issuer,
    /// Anything else that is wrong with it.
    Certificate,
    /// The other side speaks no TLS that we do.
    Protocol,
}

impl TlsFault {
    /// The fault of a handshake that failed.
    pub(super) fn of(error: &std::io::Error) -> Self {
        match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(rustls::Error::InvalidCertificate(error)) => match error {
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => Self::Name,
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotYetValid,
                CertificateError::UnknownIssuer => Self::Issuer,
                _ => Self::Certificate,
            },
            _ => Self::Protocol,
        }
    }
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => ": o certificado é de outro nome",
            Self::Expired => ": o certificado venceu",
            Self::NotYetValid => ": o certificado ainda não vale",
            Self::Issuer => ": o certificado não é de uma autoridade em que esta máquina confia",
            Self::Certificate => ": o certificado não serve",
            Self::Protocol => "",
        })
    }
}

impl From<BadCall> for FetchError {
    fn from(bad: BadCall) -> Self {
        Self::Bad(bad)
    }
}

impl FetchError {
    /// The same for a component that calls by `wasi:http`.
    pub(super) fn into_wasi(self) -> wasmtime_wasi_http::Error {
        use wasmtime_wasi_http::Error;
        match self {
            Self::Bad(_) => Error::HttpRequestUriInvalid,
            Self::NotAllowed(_) | Self::Spent(_) => Error::HttpRequestDenied,
            Self::NotFound(_) => Error::DestinationNotFound,
            Self::Unresolved { .. } => Error::DnsTimeout,
            Self::Prohibited { .. } => Error::DestinationIpProhibited,
            Self::Busy(_) => Error::ConnectionLimitReached,
            Self::Connect(_) => Error::ConnectionRefused,
            Self::Tls { fault: TlsFault::Protocol, .. } => Error::TlsProtocolError,
            Self::Tls { .. } => Error::TlsCertificateError,
            Self::TimedOut { .. } => Error::ConnectionTimeout,
            Self::RequestTooLarge(most) => Error::HttpRequestBodySize(Some(most as u64)),
            Self::ResponseTooLarge { most, .. } => Error::HttpResponseBodySize(Some(most as u64)),
            Self::Broken { .. } => Error::HttpProtocolError,
            Self::NoRoots => Error::ConfigurationError,
        }
    }

    /// What the log says beside the message; `None` where that is all.
    pub(super) fn detail(&self) -> Option<String> {
        match self {
            Self::Prohibited { address, .. } => Some(format!("it resolves to {address}")),
            Self::Tls { source, .. } => Some(source.to_string()),
            Self::Broken { source, .. } => Some(source.to_string()),
            _ => None,
        }
    }
}
