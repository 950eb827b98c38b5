//! Finding what is no longer reached: mark from the roots with a list of what is still to visit, then free the rest.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::{COLLECT_AFTER, Heap, OBJECT_COST, Object};
use crate::value::Value;

impl Heap<'_> {
    /// Frees every object that no root reaches. Runs between two instructions, when no builtin holds a handle.
    pub(crate) fn collect<'v>(&mut self, roots: impl Iterator<Item = &'v Value>) {
        let mut marked = vec![false; self.objects.len()];
        // How much of each grown text is reached.
        let mut used: BTreeMap<usize, usize> = BTreeMap::new();
        let mut pending: Vec<usize> = Vec::new();
        let mut reach = |value: Value, pending: &mut Vec<usize>| {
            if let Some(handle) = value.handle()
                && let Some(mark @ false) = marked.get_mut(handle.index())
            {
                *mark = true;
                pending.push(handle.index());
            }
        };
        for root in roots {
            reach(*root, &mut pending);
        }
        let mut live = 0_usize;
        while let Some(handle) = pending.pop() {
            let size = match self.objects.get(handle) {
                Some(Object::Str(text)) => text.len(),
                // What is reached of it is counted below.
                Some(Object::Grown(_)) => 0,
                Some(Object::Beginning(whole, length)) => {
                    reach(Value::Str(*whole), &mut pending);
                    let used = used.entry(whole.index()).or_default();
                    *used = (*used).max(*length);
                    0
                }
                Some(Object::Arr(items)) => {
                    items.iter().for_each(|item| reach(*item, &mut pending));
                    items.capacity() * size_of::<Value>()
                }
                Some(Object::Map(map)) => {
                    for (key, value) in map.entries() {
                        reach(*key, &mut pending);
                        reach(*value, &mut pending);
                    }
                    map.size()
                }
                Some(Object::Struct(_, fields) | Object::Closure(_, fields)) => {
                    fields.iter().for_each(|field| reach(*field, &mut pending));
                    fields.len() * size_of::<Value>()
                }
                Some(Object::Free(_)) | None => 0,
            };
            live = live.saturating_add(size + OBJECT_COST);
        }
        for (whole, length) in used {
            if let Some(Object::Grown(text)) = self.objects.get_mut(whole) {
                text.truncate(length);
                // A little room may stay: to give it back is to copy.
                if text.capacity() - length > length / 8 {
                    text.shrink_to_fit();
                }
                live = live.saturating_add(text.capacity());
            }
        }
        self.free = usize::MAX;
        for (index, (object, marked)) in self.objects.iter_mut().zip(marked).enumerate() {
            if !marked {
                *object = Object::Free(self.free);
                self.free = index;
            }
        }
        self.allocated = 0;
        self.threshold = COLLECT_AFTER.max(live);
    }
}
