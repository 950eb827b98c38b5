//! From a request's method and path to a route. Source: the HTTP contract, 1.2 and 1.3.

mod pattern;
mod percent;
mod router;

pub use pattern::{SEGMENT_MESSAGE, SEGMENT_PATTERN, Segment, in_path, is_reserved, is_segment, parse_path, path_params};
pub use percent::{BadEncoding, decode_leniently, decode_path, parse_query, percent_decode, percent_encode, percent_encoded};
pub use router::{MAX_TARGET, Match, Router, RouterError};

#[cfg(test)]
mod tests;
