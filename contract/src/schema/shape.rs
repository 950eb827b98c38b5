//! Which structs a schema must name in `$defs`: those that contain themselves, and all of them where writing each out would explode.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use crate::types::{Field, Kind, Source, Type, Types};

/// More objects than this are not written out in place.
const INLINE_LIMIT: usize = 200;

/// The structs that are named, of those reachable from somewhere.
pub(super) fn named(types: &Types, roots: &[&Type]) -> BTreeSet<usize> {
    let mut edges: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut open: Vec<usize> = roots.iter().filter_map(|ty| target(ty)).collect();
    let starts = open.clone();
    while let Some(index) = open.pop() {
        edges.entry(index).or_insert_with(|| {
            let shown = types.get(index).fields.iter().filter(|field| is_shown(field));
            let next: Vec<usize> = shown.filter_map(|field| target(&field.ty)).collect();
            open.extend(&next);
            next
        });
    }
    let recursive: BTreeSet<usize> = edges.keys().copied().filter(|&index| reaches(&edges, index)).collect();
    let mut sizes = BTreeMap::new();
    let total = starts.iter().fold(0_usize, |sum, &index| sum.saturating_add(size(&edges, &recursive, &mut sizes, index)));
    if total > INLINE_LIMIT { edges.into_keys().collect() } else { recursive }
}

/// A field that schemas show.
pub fn is_shown(field: &Field) -> bool {
    !field.hidden && !matches!(field.source, Source::Inject(_))
}

/// The struct that a type holds, itself or in its elements.
fn target(ty: &Type) -> Option<usize> {
    match &ty.kind {
        Kind::Struct(index) => Some(*index),
        Kind::Arr(Some(element)) | Kind::Map(Some(element)) => target(element),
        _ => None,
    }
}

fn reaches(edges: &BTreeMap<usize, Vec<usize>>, start: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<usize> = edges.get(&start).cloned().unwrap_or_default();
    while let Some(index) = open.pop() {
        if index == start {
            return true;
        }
        if seen.insert(index) {
            open.extend(edges.get(&index).into_iter().flatten());
        }
    }
    false
}

/// How many objects are written when a struct is written out; recursive ones are references.
fn size(edges: &BTreeMap<usize, Vec<usize>>, recursive: &BTreeSet<usize>, sizes: &mut BTreeMap<usize, usize>, index: usize) -> usize {
    // Without recursive structs the edges have no cycle, so that an explicit stack in post-order ends.
    let mut open = Vec::from([(index, false)]);
    while let Some((index, done)) = open.pop() {
        let next = edges.get(&index).map(Vec::as_slice).unwrap_or_default();
        if sizes.contains_key(&index) {
            continue;
        }
        if done {
            let sum = next.iter().fold(1_usize, |sum, child| sum.saturating_add(sizes.get(child).copied().unwrap_or(1)));
            sizes.insert(index, sum);
        } else {
            open.push((index, true));
            let children = next.iter().filter(|child| !recursive.contains(child) && !sizes.contains_key(child));
            open.extend(children.map(|&child| (child, false)));
        }
    }
    sizes.get(&index).copied().unwrap_or(1)
}
