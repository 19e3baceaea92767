"""Types are those of the document, and what is not known is not guessed."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from generate import API, DOCUMENT, current, declaration, generate, type_of


class Generate(unittest.TestCase):
    def test_the_types_are_those_of_the_document(self):
        document = json.loads(DOCUMENT.read_text())
        self.assertEqual(API.read_text(), generate(document), "run python3 generate.py")

    def test_what_is_deprecated_in_a_request_is_left_out(self):
        number = {"type": "integer", "minimum": 1}
        text = {"type": "string", "pattern": "^[0-9]+$", "deprecated": True}
        given = {
            "type": "object",
            "required": ["to"],
            "allOf": [{"anyOf": [{"required": ["from"]}, {"required": ["start"]}]}],
            "properties": {
                "from": {"type": "string"},
                "start": {"type": "string", "deprecated": True},
                "limit": {"description": "How many.", "anyOf": [number, text]},
            },
        }
        expect = {
            "type": "object",
            "properties": {"from": {"type": "string"}, "limit": {"description": "How many.", **number}},
            "required": ["to", "from"],
        }
        self.assertEqual(current(given), expect)

    def test_schemas_become_types(self):
        for schema, expect in [
            ({"type": "integer", "minimum": 0}, "int"),
            ({"type": ["string", "null"]}, "str | None"),
            ({"type": "array", "items": {"type": ["string", "null"]}}, "list[str | None]"),
            ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]}, "list[int]"),
            ({"type": "object", "additionalProperties": {"type": "number"}}, "dict[str, float]"),
            ({"enum": ["a", None]}, 'Literal["a", None]'),
            ({"anyOf": [{"$ref": "#/components/schemas/U"}, {"type": "null"}]}, "U | None"),
            ({}, "Any"),
        ]:
            self.assertEqual(type_of(schema), expect)

    def test_a_word_of_python_is_no_field_of_a_class(self):
        schema = {"type": "object", "required": ["from"], "properties": {"from": {"type": "string"}}}
        self.assertIn("from_: str", declaration("T", schema, None, True))
        self.assertIn('"from": "str"', declaration("T", schema, None, False))

    def test_what_is_not_known_is_not_guessed(self):
        for schema in ({"allOf": []}, {"type": "date"}, {"$ref": "other.json#/x"}):
            with self.assertRaisesRegex(ValueError, "does not know"):
                type_of(schema)


if __name__ == "__main__":
    unittest.main()
