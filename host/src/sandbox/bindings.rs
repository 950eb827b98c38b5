//! What wasmtime generates from `wit/`: the typed door and what it imports.
#![allow(missing_docs, unreachable_pub, clippy::all)]

wasmtime::component::bindgen!({
    inline: "
        package djo:host;
        world typed-door {
            import djo:site/context@0.1.0;
            import djo:site/store@0.1.0;
            import djo:site/log@0.1.0;
            import djo:site/progress@0.1.0;
            import djo:site/outbound@0.1.0;
            export djo:site/handler@0.1.0;
        }
    ",
    path: "../wit",
    world: "djo:host/typed-door",
    imports: { "djo:site/outbound.fetch": async, "djo:site/log.fault": trappable },
    exports: { default: async },
});
