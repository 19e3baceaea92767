"""Makes cds_client/api.py from the OpenAPI document that the TypeScript client keeps.

    python3 generate.py

It is our own because the types should read as if somebody had written them. What it does not know is an error, never a guess.
"""

import json
import keyword
import pathlib
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "typescript/openapi.json"
API = HERE / "cds_client/api.py"

REFERENCE = "#/components/schemas/"

HEAD = '''\
"""What cds takes and gives. Made by generate.py: not to be changed by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Unpack
from urllib.parse import quote
'''

ASK = '''\
    def _ask(self, method: str, path: str, request: Any = None) -> Any:
        raise NotImplementedError
'''

# Keywords that no type can say, or that are said elsewhere. Any other that is not handled below is an error.
SILENT = {
    "default", "description", "format", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum",
    "pattern", "required", "title",
}

# Keywords that `type_of` turns into a type.
SPOKEN = {
    "$ref", "additionalProperties", "anyOf", "const", "enum", "items", "oneOf", "prefixItems", "properties", "type",
}

PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}


def generate(document):
    """The text of api.py. Equal documents give equal bytes."""
    parts = [HEAD]
    names = set()

    def declare(name, schema, about, is_asked=False):
        if name in names:
            raise ValueError(f"two types would be called {name}")
        names.add(name)
        parts.append(declaration(name, schema, about, is_asked))

    for name, schema in document.get("components", {}).get("schemas", {}).items():
        declare(name, schema, schema.get("description"))
    methods = []
    # Operations that take or give the same share a type, so that one function can read the answers of all.
    known = {}
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            name = "".join(word.capitalize() for word in operation["operationId"].split("_"))
            types = []
            for kind, schema in (("Request", asked(operation)), ("Response", given(operation))):
                text = json.dumps(schema)
                if schema is None or "properties" not in schema:
                    types.append(None if schema is None else type_of(schema))
                    continue
                if text not in known:
                    known[text] = f"{name}{kind}"
                    about = f"What `{verb.upper()} {path}` {'takes' if kind == 'Request' else 'gives'}."
                    declare(known[text], schema, about, kind == "Request")
                types.append(known[text])
            if "text/event-stream" not in answer_of(operation).get("content", {}):
                methods.append(method(verb.upper(), path, operation, *types))
    about = docstring("Every operation, a method each. Parameters are named; one that is a word of Python ends in `_`.", "    ")
    parts.append(f"class Operations:\n{about}\n{ASK}\n" + "\n".join(methods))
    return "\n\n".join(parts)


def answer_of(operation):
    answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    if len(answers) != 1:
        raise ValueError(f"{operation['operationId']}: one answer was expected, there are {len(answers)}")
    return answers[0]


def asked(operation):
    body = operation.get("requestBody")
    return None if body is None else current(body["content"]["application/json"]["schema"])


def current(schema):
    """The schema of a request without what is deprecated: other tools' names of parameters, and numbers written as text."""
    if "properties" not in schema:
        return schema
    rest = {key: value for key, value in schema.items() if key not in ("allOf", "required")}
    kept = {name: property for name, property in schema["properties"].items() if not property.get("deprecated")}
    rest["properties"] = {name: current_choice(property) for name, property in kept.items()}
    # Of the names that one parameter has, the first is ours.
    names = schema.get("required", []) + [name for one in schema.get("allOf", []) for name in one["anyOf"][0]["required"]]
    return {**rest, "required": names} if names else rest


def current_choice(property):
    choices = [choice for choice in property.get("anyOf", []) if not choice.get("deprecated")]
    if len(choices) == len(property.get("anyOf", [])):
        return property
    rest = {key: value for key, value in property.items() if key != "anyOf"}
    return {**rest, **choices[0]} if len(choices) == 1 else {**rest, "anyOf": choices}


def given(operation):
    content = answer_of(operation).get("content", {}).get("application/json")
    return None if content is None else content["schema"]


def method(verb, path, operation, takes, gives):
    parameters = [parameter["name"] for parameter in operation.get("parameters", [])]
    arguments = ["self", *(f"{name}: str" for name in parameters)]
    if takes is not None:
        arguments.append(f"**request: Unpack[{takes}]")
    where = f'"{path}"'
    for name in parameters:
        path = path.replace(f"{{{name}}}", f"{{quote({name}, safe='')}}")
        where = f'f"{path}"'
    sent = ", request" if takes is not None else ""
    return (
        f"    def {operation['operationId']}({', '.join(arguments)}) -> {gives}:\n"
        f"{docstring(operation['summary'], '        ')}"
        f'        return self._ask("{verb}", {where}{sent})\n'
    ) if gives is not None else (
        f"    def {operation['operationId']}({', '.join(arguments)}) -> None:\n"
        f"{docstring(operation['summary'], '        ')}"
        f'        self._ask("{verb}", {where}{sent})\n'
    )


def declaration(name, schema, about, is_asked):
    if "properties" not in schema:
        return f"{comment(about, '')}{name} = {type_of(schema)}\n"
    required = schema.get("required", [])
    fields = []
    for field, property in schema["properties"].items():
        kind = type_of(property)
        fields.append((field, comment(property.get("description"), "    "), kind if field in required else f"NotRequired[{kind}]"))
    # A name of Python's can be no field of a class: where we are asked it gets a `_`, where we answer it stays what it is.
    if not is_asked and any(keyword.iskeyword(field) for field, _, _ in fields):
        lines = "".join(f'{said}    "{field}": "{kind}",\n' for field, said, kind in fields)
        return f"{comment(about, '')}{name} = TypedDict(\"{name}\", {{\n{lines}}})\n"
    lines = "".join(f"{said}    {field}{'_' * keyword.iskeyword(field)}: {kind}\n" for field, said, kind in fields)
    return f"class {name}(TypedDict):\n{docstring(about, '    ')}{lines}"


def type_of(schema):
    if schema is True or schema == {}:
        return "Any"
    strange = [key for key in schema if key not in SILENT | SPOKEN]
    if strange:
        raise ValueError(f"the generator does not know {strange[0]}: {json.dumps(schema)[:200]}")
    if "$ref" in schema:
        if not schema["$ref"].startswith(REFERENCE):
            raise ValueError(f"the generator does not know where {schema['$ref']} is")
        return schema["$ref"].removeprefix(REFERENCE)
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(repr(value) for value in values)}]".replace("'", '"')
    choices = schema.get("oneOf", schema.get("anyOf"))
    if choices is not None:
        return " | ".join(dict.fromkeys(type_of(choice) for choice in choices))
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    return " | ".join(plain(kind, schema) for kind in types) or "Any"


def plain(kind, schema):
    if kind == "array":
        items = [type_of(item) for item in schema.get("prefixItems", [schema.get("items", {})])]
        return f"list[{' | '.join(dict.fromkeys(items))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values) if isinstance(values, dict) else 'Any'}]"
    if kind not in PLAIN:
        raise ValueError(f"the generator does not know the type {kind}")
    return PLAIN[kind]


def wrapped(text, indent, width):
    return [line for paragraph in text.split("\n") for line in textwrap.wrap(paragraph, width - len(indent)) or [""]]


def comment(text, indent):
    return "".join(f"{indent}# {line}".rstrip() + "\n" for line in wrapped(text, indent, 110)) if text else ""


def docstring(text, indent):
    if not text:
        return ""
    lines = wrapped(text.replace("\\", "\\\\").replace('"""', "'''"), indent, 110)
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    body = "".join(f"{indent}{line}".rstrip() + "\n" for line in lines[1:])
    return f'{indent}"""{lines[0]}\n{body}{indent}"""\n'


if __name__ == "__main__":
    API.write_text(generate(json.loads(DOCUMENT.read_text())))
