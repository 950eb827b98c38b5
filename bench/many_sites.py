#!/usr/bin/env python3
"""Writes a folder of many small djo sites: `many_sites.py FOLDER COUNT`.

Each has a page, an agent face with a declared type and an action, as a site of a stranger on a shared host would."""

import pathlib
import sys

FILES = {
    "rotas.djo": """\
Route.site:{"nome": "Site NUMBER", "about": "Um entre muitos"}
Route.get:"/":"paginas/inicio.djo.html"
Route.get:"/itens":{"agent": "agentes/itens.djo", "about": "Os itens", "returns": ["Item"]}
Route.action:"/itens":"criar"
""",
    "core/itens.djo": """\
struct Item
    id[Int]
    nome[String]
    pronto[Bool] = false

action criar
    "Cria um item"
    params[nome[String, min: 1, max: 80]]
    id = Store.next_id:"itens"
    Store.set:"itens":id:{"nome": nome}
    return {"id": id}
""",
    "agentes/itens.djo": """\
Http.json:[Item:{"id": 1, "nome": "do site NUMBER"}, Item:{"id": 2, "nome": "outro", "pronto": true}, Item:{"id": 3, "nome": "mais um"}]
""",
    "paginas/inicio.djo.html": """\
<!doctype html>
<title>Site NUMBER</title>
<p>Um entre muitos.</p>
""",
}


def main() -> None:
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        for path, text in FILES.items():
            file = folder / f"s{number}" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("NUMBER", str(number)), encoding="utf-8")


main()
