"""The list of three posts, as a Python component."""

import json

from componentize_py_types import Ok
from wit_world import exports
from wit_world.imports.types import Fields, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam

POSTS = [
    {"id": 1, "titulo": "Primeiro post", "nota": 4.5, "publicado": True},
    {"id": 2, "titulo": "Segundo post", "nota": 3, "publicado": True},
    {"id": 3, "titulo": "Terceiro post", "nota": 5, "publicado": False},
]


class IncomingHandler(exports.IncomingHandler):
    def handle(self, request: IncomingRequest, response_out: ResponseOutparam) -> None:
        response = OutgoingResponse(Fields.from_list([("content-type", b"application/json")]))
        body = response.body()
        ResponseOutparam.set(response_out, Ok(response))
        with body.write() as stream:
            stream.blocking_write_and_flush(json.dumps(POSTS, separators=(",", ":")).encode())
        OutgoingBody.finish(body, None)
