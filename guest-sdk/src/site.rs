//! A site, as its two doors see it.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

use djo_contract::{manifest, model::Contract};

use crate::bindings::djo::site::context;

pub use crate::bindings::exports::djo::site::handler::{Entry, Failure, Frame, PageBounds, Request, Response};

/// What runs when a request comes. `#[djo::site]` writes it for a site's module.
pub trait Site {
    /// The content of the `djo:contract` section: the `wasi:http` door matches, checks and decodes by it.
    fn contract() -> Cow<'static, [u8]>;

    /// Runs a request that is matched and decoded.
    ///
    /// # Errors
    /// An error of the site's code that nothing caught.
    fn run(request: Request, around: &dyn Around) -> Result<Response, Box<Failure>>;

    /// What `/.well-known/ai-manifest.json` answers. Whoever has it at hand saves the guest what writes it.
    fn manifest(contract: &Contract) -> Cow<'static, str> {
        Cow::Owned(manifest::manifest(contract))
    }

    /// What an agent that asks for `/` is answered, where that has no face for it.
    fn greeting(contract: &Contract) -> Cow<'static, str> {
        Cow::Owned(manifest::greeting(contract))
    }

    /// A static file that the component carries, by its path in `publico/`.
    fn file(_path: &str) -> Option<File> {
        None
    }

    /// Where in the site's sources a run is, as file and line, for when it can go no further: nothing may be allocated for it.
    fn place() -> Option<(&'static str, u32)> {
        None
    }

    /// Bytes of such a file.
    fn read(_start: u32, _length: u32) -> Vec<u8> {
        Vec::new()
    }
}

/// A static file.
#[derive(Clone, Debug)]
pub struct File {
    /// Its content type.
    pub content_type: String,
    /// Its entity tag.
    pub tag: String,
    /// Where its bytes start, and how many they are.
    pub place: (u32, u32),
}

/// What a run may ask about its request, by whichever door it came.
pub trait Around {
    /// A header by its lower-case name; several of one name are joined by `, `, cookies by `; `.
    fn header(&self, name: &str) -> Option<String>;
    /// The client's address as text; empty when the host does not tell.
    fn client_ip(&self) -> String;
    /// The request came over TLS.
    fn secure(&self) -> bool;
    /// The request's id.
    fn request_id(&self) -> String;
    /// The host itself ends what takes too long.
    fn is_timed(&self) -> bool;
}

/// A call through the typed door: all of it is the host's word.
#[derive(Clone, Copy, Debug)]
pub struct Hosted;

impl Around for Hosted {
    fn header(&self, name: &str) -> Option<String> {
        context::header(name)
    }

    fn client_ip(&self) -> String {
        context::client_ip()
    }

    fn secure(&self) -> bool {
        context::secure()
    }

    fn request_id(&self) -> String {
        context::request_id()
    }

    fn is_timed(&self) -> bool {
        true
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Screen(a), Self::Screen(b)) | (Self::Agent(a), Self::Agent(b)) | (Self::Action(a), Self::Action(b)) => a == b,
            (Self::ErrorPage(a), Self::ErrorPage(b)) => a == b,
            _ => false,
        }
    }
}

/// Makes a component of a [`Site`]: both doors, the allocator, and where a panic ends. Once for a crate, which is `no_std` in a guest.
#[macro_export]
macro_rules! component {
    ($site:ty) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, unreachable_pub, missing_docs)] // The entry points that the canonical ABI calls.
        mod djo_component {
            struct Doors;

            impl $crate::bindings::exports::djo::site::handler::Guest for Doors {
                fn handle(request: $crate::Request) -> ::core::result::Result<$crate::Response, $crate::Failure> {
                    <$site as $crate::Site>::run(request, &$crate::Hosted).map_err(|failure| *failure)
                }
            }

            impl $crate::bindings::exports::wasi::http::incoming_handler::Guest for Doors {
                fn handle(request: $crate::incoming::IncomingRequest, out: $crate::incoming::ResponseOutparam) {
                    $crate::incoming::serve::<$site>(&request, out);
                }
            }

            $crate::bindings::export!(Doors with_types_in $crate::bindings);

            #[global_allocator]
            pub(super) static HEAP: $crate::rt::Heap = $crate::rt::Heap::new();

            #[panic_handler]
            fn panic(info: &::core::panic::PanicInfo<'_>) -> ! {
                $crate::rt::panic(info, <$site as $crate::Site>::place())
            }
        }
    };
}
