//! Finding what is no longer reached: mark from the roots with a list of what is still to visit, then free the rest.

use alloc::{vec, vec::Vec};

use super::{COLLECT_AFTER, Heap, OBJECT_COST, Object};
use crate::value::Value;

impl Heap<'_> {
    /// Frees every object that no root reaches. Runs between two instructions, when no builtin holds a handle.
    pub(crate) fn collect<'v>(&mut self, roots: impl Iterator<Item = &'v Value>) {
        let mut marked = vec![false; self.objects.len()];
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
                Some(Object::Grown(text)) => text.capacity(),
                Some(Object::Beginning(whole, _)) => {
                    reach(Value::Str(*whole), &mut pending);
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
