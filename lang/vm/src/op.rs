//! The instruction set: a register machine whose words are four bytes, `op a b c`.
//!
//! `a`, `b`, `c` name registers of the running function unless said otherwise; `bx` is `b` and `c` as one little-endian
//! number. Some instructions take a second word (`w`). Jumps count words from the word after the whole instruction.

macro_rules! ops {
    ($($(#[doc = $doc:expr])+ $name:ident = $code:literal,)+) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Op { $($(#[doc = $doc])+ $name = $code,)+ }

        impl Op {
            /// The operation of a code.
            #[inline(always)]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

ops! {
    /// Does nothing.
    Nop = 0,
    /// `a = b`
    Move = 1,
    /// `a = nil`
    LoadNil = 2,
    /// `a = b != 0`
    LoadBool = 3,
    /// `a = bx` as a signed number
    LoadInt = 4,
    /// `a = constants[bx]`; an Arr or Map is a fresh copy
    LoadConst = 5,
    /// `a = strings[bx]`
    LoadText = 6,
    /// `a =` function `w`
    LoadFunction = 7,
    /// `a =` builtin `bx`
    LoadBuiltin = 8,
    /// Marks `b` registers from `a` on as unset
    Unset = 9,
    /// Raises when `a`, whose name is `strings[bx]`, is unset
    CheckSet = 10,
    /// Raises when `a` is no Bool
    CheckBool = 11,
    /// Raises when `a` is no Arr; `strings[bx]` is who wants one
    CheckArr = 12,
    /// Jumps by `w`
    Jump = 13,
    /// Jumps by `w` when `a` is true; raises when it is no Bool
    JumpIf = 14,
    /// Jumps by `w` when `a` is false; raises when it is no Bool
    JumpIfNot = 15,
    /// Jumps by `w` when `a < b`
    JumpIfLt = 16,
    /// Jumps by `w` when `a <= b`
    JumpIfLe = 17,
    /// Jumps by `w` when `a == b`
    JumpIfEq = 18,
    /// Jumps by `w` when `a != b`
    JumpIfNe = 19,
    /// `a = b == c`
    Eq = 20,
    /// `a = b != c`
    Ne = 21,
    /// `a = b < c`
    Lt = 22,
    /// `a = b <= c`
    Le = 23,
    /// `a = b in c`
    In = 24,
    /// `a = b + c`
    Add = 25,
    /// `a = b - c`
    Sub = 26,
    /// `a = b * c`
    Mul = 27,
    /// `a = b / c`
    Div = 28,
    /// `a = b % c`
    Rem = 29,
    /// `a = b + c`, where `c` is a signed byte
    AddByte = 30,
    /// `a = not b`
    Not = 31,
    /// `a = -b`
    Neg = 32,
    /// `a = b.strings[w]`; `c` guesses the field's index
    GetField = 33,
    /// `a.strings[w] = b`; `c` guesses the field's index
    SetField = 34,
    /// `a = b[c]`
    GetIndex = 35,
    /// `a[b] = c`
    SetIndex = 36,
    /// `a = []` with room for `bx`
    NewArr = 37,
    /// Adds `b` to the Arr in `a`, which this function has just made
    Append = 38,
    /// `a = {}` with room for `bx`
    NewMap = 39,
    /// `a[b] = c` in the Map in `a`, which this function has just made
    MapPut = 40,
    /// `a =` struct of the shape `shapes[w]`, its values in the registers from `a` on
    NewStruct = 41,
    /// `a =` struct `w` out of the Map in `b`
    BuildStruct = 42,
    /// Calls function `w` with the `b` registers from `a` on; its result goes to `a`. A typed one's arguments are checked, an action's as over HTTP
    Call = 43,
    /// Calls the value in `a` with the `b` registers after it; its result goes to `a`
    CallValue = 44,
    /// Calls builtin `w` with the `b` registers from `a` on; its result goes to `a`
    CallBuiltin = 45,
    /// Returns `a`
    Return = 46,
    /// Returns without a value
    ReturnNothing = 47,
    /// From here to the matching `TryEnd` an error goes to `w` words on, with its description in `a`
    TryBegin = 48,
    /// Ends the innermost `TryBegin`
    TryEnd = 49,
    /// Prepares the loop over `a`, whose state is in `a`, `a + 1` and `a + 2`
    ForPrep = 50,
    /// Next item (Arr) or key (Map) of the loop at `a` into `b`; without one, jumps by `w`
    ForNext = 51,
    /// Next index or key into `b` and value into `c` of the loop at `a`; without one, jumps by `w`
    ForPair = 52,
    /// Writes `strings[w]`
    Text = 53,
    /// Writes `a`, escaped as `b` says
    Output = 54,
    /// From here on, what is written is kept apart
    CaptureBegin = 55,
    /// `a =` what was written since the innermost `CaptureBegin`
    CaptureEnd = 56,
    /// Jumps by `w` when `a` is a function
    JumpIfFunction = 57,
    /// Jumps by `w` when `a` is not nil
    JumpIfNotNil = 58,
    /// `a =` function `w` with the `b` values in the registers from `a` on, which it finds behind its parameters
    Closure = 59,
    /// `a =` the text of the `b` registers from `a` on, one after the other
    Join = 60,
    /// `a = w` as a signed number
    LoadWide = 61,
}

/// Encodes the first word of an instruction.
pub const fn encode(op: Op, a: u8, b: u8, c: u8) -> [u8; 4] {
    [op as u8, a, b, c]
}

/// The same with `b` and `c` as one number.
pub const fn encode_wide(op: Op, a: u8, bx: u16) -> [u8; 4] {
    let [b, c] = bx.to_le_bytes();
    [op as u8, a, b, c]
}

/// How a value is escaped, as `Output`'s `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Escape {
    /// As is.
    Raw = 0,
    /// Element content.
    Text = 1,
    /// A quoted attribute.
    Attribute = 2,
    /// The start of a quoted URL attribute.
    Url = 3,
    /// A middle part of a URL.
    UrlPath = 4,
    /// Within a URL's query or fragment.
    UrlQuery = 5,
    /// A JavaScript value.
    Script = 6,
    /// Within a JavaScript string.
    ScriptString = 7,
    /// After the `/` that starts a URL.
    UrlRoot = 8,
    /// The same, where what follows makes no host of it.
    UrlRootEnd = 9,
    /// After `mailto:` or `tel:`.
    UrlAddress = 10,
}

impl Escape {
    /// The escape of a code.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Raw,
            1 => Self::Text,
            2 => Self::Attribute,
            3 => Self::Url,
            4 => Self::UrlPath,
            5 => Self::UrlQuery,
            6 => Self::Script,
            7 => Self::ScriptString,
            8 => Self::UrlRoot,
            9 => Self::UrlRootEnd,
            10 => Self::UrlAddress,
            _ => return None,
        })
    }
}
