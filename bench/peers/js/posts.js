// The list of three posts, as a JavaScript component. Straight on wasi:http: a `fetch` event can be answered once for each instance.
import { Fields, OutgoingBody, OutgoingResponse, ResponseOutparam } from "wasi:http/types@0.2.10";

const posts = [
  { id: 1, titulo: "Primeiro post", nota: 4.5, publicado: true },
  { id: 2, titulo: "Segundo post", nota: 3, publicado: true },
  { id: 3, titulo: "Terceiro post", nota: 5, publicado: false },
];
const utf8 = new TextEncoder();

export const incomingHandler = {
  handle(_request, outparam) {
    const response = new OutgoingResponse(Fields.fromList([["content-type", utf8.encode("application/json")]]));
    const body = response.body();
    ResponseOutparam.set(outparam, { tag: "ok", val: response });
    const stream = body.write();
    stream.blockingWriteAndFlush(utf8.encode(JSON.stringify(posts)));
    stream[Symbol.dispose]();
    OutgoingBody.finish(body, undefined);
  },
};
