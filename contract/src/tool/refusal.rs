//! What a tool's own refusal may say. Source: the tool boundary, §5.

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The arguments fit their types, and yet make no sense together.
    InvalidCall,
    /// A rule of the site's own: sold out, closed, not allowed.
    DomainRejection,
    /// Something that the tool needs is not there right now.
    Unavailable,
    /// The caller asks too often.
    RateLimited,
    /// Something that the tool waited for took too long.
    Timeout,
    /// Something that the tool asked answered nonsense.
    MalformedResult,
    /// A defect.
    Internal,
}

impl RefusalKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::InvalidCall,
        Self::DomainRejection,
        Self::Unavailable,
        Self::RateLimited,
        Self::Timeout,
        Self::MalformedResult,
        Self::Internal,
    ];

    /// As code writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidCall => "invalid_call",
            Self::DomainRejection => "domain_rejection",
            Self::Unavailable => "unavailable",
            Self::RateLimited => "rate_limited",
            Self::Timeout => "timeout",
            Self::MalformedResult => "malformed_result",
            Self::Internal => "internal",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The HTTP status of a plain request that ends so.
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidCall => 422,
            Self::DomainRejection => 409,
            Self::Unavailable => 503,
            Self::RateLimited => 429,
            Self::Timeout => 504,
            Self::MalformedResult | Self::Internal => 500,
        }
    }

    /// Whether the refusal speaks to who called; the other kinds are faults, for the log.
    pub const fn is_for_callers(self) -> bool {
        !matches!(self, Self::MalformedResult | Self::Internal)
    }

    /// Whether the same call can be mended and sent again.
    pub const fn is_mendable(self) -> bool {
        matches!(self, Self::InvalidCall | Self::DomainRejection)
    }
}
