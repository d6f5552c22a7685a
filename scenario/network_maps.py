"""Maps of real networks, as files: GraphML as the Internet Topology Zoo has it, or JSON as NetworkX writes it (nodes and links).

Source of the Zoo: S. Knight et al., "The Internet Topology Zoo", IEEE JSAC 29(9), 2011.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from common.errors import UserError
from common.text_files import read_text

NAME_LENGTH = 8
"""Of a place as a switch: the name is a part of interfaces' names, which have 15 characters at most."""

MOST_BYTES = 10_000_000
_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
_WANTED = "a map is GraphML (.graphml), as the Topology Zoo has it, or NetworkX's JSON of nodes and links (.json)"


def read_map(path: Path) -> dict[str, Any]:
    """The map in a file: ``places``, each with its name, latitude and longitude as far as they are known, and ``links``.

    Links that lead back to their place, or that are there already, are left out.

    Raises:
        UserError: the file is missing, or is no such map; the message names the file.
    """
    text = read_text(path, key="map", missing="the path of a map is one from the scenario's file", not_text=_WANTED)
    if len(text) > MOST_BYTES:
        raise UserError(f"{path}: {len(text):,} characters are too many for a map", f"at most {MOST_BYTES:,} are read")
    try:
        nodes, pairs = _of_json(text) if path.suffix == ".json" else _of_graphml(text)
    except (ElementTree.ParseError, json.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: this is no map of a network: {error}", _WANTED) from None
    if not nodes:
        raise UserError(f"{path}: this map has no nodes", _WANTED)
    names = _names(nodes)
    links: dict[frozenset[str], list[str]] = {}
    for first, second in pairs:
        if first not in names or second not in names:
            raise UserError(f"{path}: a link leads to {first if first not in names else second!r}, which is no node")
        if first != second:
            links.setdefault(frozenset((names[first], names[second])), [names[first], names[second]])
    places = {names[key]: {name: value for name, value in node.items() if value is not None} for key, node in nodes.items()}
    return {"places": places, "links": list(links.values())}


Nodes = dict[str, dict[str, Any]]
Pairs = list[tuple[str, str]]


def _of_graphml(text: str) -> tuple[Nodes, Pairs]:
    root = ElementTree.fromstring(text)
    keys = {key.get("id"): key.get("attr.name") for key in root.iter(f"{_GRAPHML}key") if key.get("for") == "node"}
    nodes = {}
    for node in root.iter(f"{_GRAPHML}node"):
        told = {keys.get(data.get("key")): data.text for data in node.iter(f"{_GRAPHML}data")}
        nodes[node.attrib["id"]] = _place(told.get("label"), told.get("Latitude"), told.get("Longitude"))
    return nodes, [(edge.attrib["source"], edge.attrib["target"]) for edge in root.iter(f"{_GRAPHML}edge")]


def _of_json(text: str) -> tuple[Nodes, Pairs]:
    content = json.loads(text)
    nodes = {str(node["id"]): _place(node.get("label"), node.get("Latitude"), node.get("Longitude")) for node in content["nodes"]}
    edges = content["links"] if "links" in content else content["edges"]
    return nodes, [(str(edge["source"]), str(edge["target"])) for edge in edges]


def _place(label: Any, latitude: Any, longitude: Any) -> dict[str, Any]:
    is_known = latitude is not None and longitude is not None
    return {
        "label": None if label is None else str(label),
        "latitude": float(latitude) if is_known else None,
        "longitude": float(longitude) if is_known else None,
    }


def _names(nodes: Nodes) -> dict[str, str]:
    """A switch's name for each node: the beginning of its label, with a number where that is another's already."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key, node in nodes.items():
        letters = re.sub(r"[^A-Za-z0-9]", "", (node["label"] or f"n{key}").encode("ascii", "ignore").decode())
        name = (letters if letters[:1].isalpha() else f"n{letters}")[:NAME_LENGTH]
        found[key] = name if name not in taken else _numbered(name, taken)
        taken.add(found[key])
    return found


def _numbered(name: str, taken: Iterable[str]) -> str:
    number = 2
    while (candidate := f"{name[: NAME_LENGTH - len(str(number))]}{number}") in taken:
        number += 1
    return candidate
