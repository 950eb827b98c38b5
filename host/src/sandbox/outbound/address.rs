//! Which addresses a call may end at. A name says nothing about that: whoever runs its zone may point it anywhere, so what is judged is
//! what it resolved to, by the registries of special-purpose addresses (IANA) and the metadata services of the clouds.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of place an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The public internet.
    Public,
    /// This machine: where the owner named the address itself, or `localhost`.
    Loopback,
    /// A network of somebody's own: where the owner named the address itself.
    Private,
    /// Where no site has anything to do: metadata services, link-local, multicast, addresses that are none, ways round into other networks.
    Never,
}

/// What kind of place an address is.
pub(super) fn place(address: IpAddr) -> Place {
    match address {
        IpAddr::V4(address) => place_v4(address),
        IpAddr::V6(address) => place_v6(address),
    }
}

fn place_v4(address: Ipv4Addr) -> Place {
    match address.octets() {
        [127, ..] => Place::Loopback,
        // Metadata services that live in ordinary ranges: Alibaba, Oracle, Azure.
        [100, 100, 100, 200] | [192, 0, 0, 192] | [168, 63, 129, 16] => Place::Never,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Place::Private,
        // Between a provider and its customers; benchmarks.
        [100, 64..=127, ..] | [198, 18..=19, ..] => Place::Private,
        // "This network", link-local (where most clouds have their metadata), protocol assignments, documentation, 6to4 relays.
        [0, ..] | [169, 254, ..] | [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [192, 88, 99, _] => Place::Never,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => Place::Never,
        _ => Place::Public,
    }
}

fn place_v6(address: Ipv6Addr) -> Place {
    let within = |start: usize| {
        let octets = address.octets();
        let mut inner = [0; 4];
        inner.copy_from_slice(&octets[start..start + 4]);
        Ipv4Addr::from(inner)
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Place::Loopback,
        // IPv4 in IPv6 dress: it goes to the IPv4 address.
        [0, 0, 0, 0, 0, 0xffff, ..] => place_v4(within(12)),
        // NAT64 translates to IPv4: what is public there is public here, nothing else is.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] if place_v4(within(12)) == Place::Public => Place::Public,
        // The metadata services of AWS and Google Cloud.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..] => Place::Never,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Place::Private,
        // Teredo, ORCHID, protocol assignments; documentation; 6to4.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] | [0x2002, ..] => Place::Never,
        // An address whose last half is the mark of ISATAP tunnels to IPv4.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Place::Never,
        // What is allocated of the internet.
        [0x2000..=0x3fff, ..] => Place::Public,
        _ => Place::Never,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Place {
        place(text.parse().unwrap())
    }

    #[test]
    fn the_internet_is_public() {
        for text in ["1.1.1.1", "8.8.8.8", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "198.17.0.1", "223.255.255.255"] {
            assert_eq!(of(text), Place::Public, "{text}");
        }
        for text in ["2606:4700::1111", "2a00::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:4860:4860::8888"] {
            assert_eq!(of(text), Place::Public, "{text}");
        }
    }

    #[test]
    fn networks_of_ones_own_are_told_apart() {
        for text in ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(of(text), Place::Loopback, "{text}");
        }
        let private = ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "100.127.255.255", "198.18.0.1"];
        for text in private.into_iter().chain(["198.19.255.255", "fc00::1", "fd12::1", "fec0::1", "::ffff:10.0.0.1"]) {
            assert_eq!(of(text), Place::Private, "{text}");
        }
    }

    #[test]
    fn metadata_and_what_is_no_destination_never() {
        let v4 = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3"];
        let other = ["224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"];
        let v6 = ["::", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "ff02::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1"];
        let embedded = [
            "::ffff:169.254.169.254",
            "::ffff:0.0.0.0",
            "::169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::a00:1",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::",
            "2001:0:4136:e378::1",
            "2600::5efe:a9fe:a9fe",
            "2600::200:5efe:7f00:1",
        ];
        for text in v4.into_iter().chain(other).chain(v6).chain(embedded) {
            assert_eq!(of(text), Place::Never, "{text}");
        }
    }

    proptest! {
        /// Whatever dress an IPv4 address wears, it is never more public than it is bare.
        #[test]
        fn no_dress_makes_an_address_public(bits: u32) {
            let bare = Ipv4Addr::from(bits);
            let [a, b, c, d] = bare.octets().map(u16::from);
            let (high, low) = (a << 8 | b, c << 8 | d);
            for dressed in [
                Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
                Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                Ipv6Addr::new(0x2001, 0, high, low, 0, 0, 0, 0),
            ] {
                prop_assert!(place(dressed.into()) != Place::Public || place(bare.into()) == Place::Public, "{}", dressed);
            }
        }

        /// What the standard library knows as special is not public.
        #[test]
        fn what_std_calls_special_is_not_public(bits: u32, wide: u128) {
            let v4 = Ipv4Addr::from(bits);
            let special = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.is_broadcast()
                || v4.is_documentation() || v4.is_unspecified();
            prop_assert!(!special || place(v4.into()) != Place::Public);
            let v6 = Ipv6Addr::from(wide);
            let special = v6.is_loopback() || v6.is_multicast() || v6.is_unspecified() || v6.is_unique_local() || v6.is_unicast_link_local();
            prop_assert!(!special || place(v6.into()) != Place::Public);
        }
    }
}
