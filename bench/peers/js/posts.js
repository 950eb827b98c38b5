// The list of three posts, as a JavaScript component.
const posts = [
  { id: 1, titulo: "Primeiro post", nota: 4.5, publicado: true },
  { id: 2, titulo: "Segundo post", nota: 3, publicado: true },
  { id: 3, titulo: "Terceiro post", nota: 5, publicado: false },
];

addEventListener("fetch", (event) =>
  event.respondWith(new Response(JSON.stringify(posts), { headers: { "content-type": "application/json" } })),
);
