"""The gRPC door, met by a client that is not ours: grpcio from PyPI, with stubs that it makes of the committed .proto.

Asks a service of its own what HTTP is asked too, and holds the answers against each other. `cargo xtask test` runs it:
CDS_BIN is the program, CDS_PROTO the folder of the .proto."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, os.environ["CDS_PROTO"])

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

cds, cds_grpc = grpc.protos_and_services("cds/v1/cds.proto")

PATIENCE = 60

SHOP = {
    "shop/cart.py": '''from shop.money import Money

class Cart:
    """Holds what a customer wants."""

    def add(self, item, count=1):
        """Adds an item; retries when the stock is locked."""
        for attempt in range(3):
            self.items.append((item, count))

    def total(self):
        return Money(sum(price for price, _ in self.items))

class GiftCart(Cart):
    def total(self):
        return Money(0)
''',
    "shop/money.py": "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\ndef test_total():\n    assert Cart().total().cents == 0\n",
}

# The method, its request, and the same as JSON.
ASKED = [
    ("Search", cds.SearchRequest(query="cart total"), {"query": "cart total"}),
    ("Search", cds.SearchRequest(query="cart", limit=1), {"query": "cart", "limit": 1}),
    ("Search", cds.SearchRequest(query="cart", snippet="full", lang=["python"]), {"query": "cart", "snippet": "full", "lang": ["python"]}),
    ("Search", cds.SearchRequest(query="total", is_test=False), {"query": "total", "is_test": False}),
    ("Search", cds.SearchRequest(query="total", min_similarity=0.2), {"query": "total", "min_similarity": 0.2}),
    ("Search", cds.SearchRequest(query="cart", granularity="document"), {"query": "cart", "granularity": "document"}),
    ("Search", cds.SearchRequest(query="cart", scope_depth=[1, 2]), {"query": "cart", "scope_depth": [1, 2]}),
    ("Search", cds.SearchRequest(query="xylophone", preset="bm25"), {"query": "xylophone", "preset": "bm25"}),
    ("Symbol", cds.SymbolRequest(name="Carr", fuzzy=True), {"name": "Carr", "fuzzy": True}),
    ("Traverse", cds.TraverseRequest(**{"from": ["Cart.total"]}), {"from": ["Cart.total"]}),
    ("Callers", cds.TraverseRequest(**{"from": ["Money"]}), {"from": ["Money"]}),
    ("Path", cds.PathRequest(**{"from": "test_total", "to": "Money"}), {"from": "test_total", "to": "Money"}),
    ("Retrieve", cds.RetrieveRequest(ids=["shop/cart.py:Cart.total", "no.py"]), {"ids": ["shop/cart.py:Cart.total", "no.py"]}),
    ("Similar", cds.SimilarRequest(place="shop/cart.py:6"), {"place": "shop/cart.py:6"}),
    ("Outline", cds.OutlineRequest(path="shop"), {"path": "shop"}),
    ("Grep", cds.GrepRequest(pattern="total"), {"pattern": "total"}),
    ("Status", cds.StatusRequest(problems=True), {"problems": True}),
]

# What differs from one moment to the next.
UNSTABLE = {"timings_ms"}


def same(expect, found, place):
    """Fails unless a message says what JSON says."""
    if isinstance(found, Message):
        if isinstance(expect, list):
            parts = [getattr(found, field.name) for field in found.DESCRIPTOR.fields]
            return same(expect, parts, place)
        known = {field.name for field in found.DESCRIPTOR.fields}
        assert set(expect) <= known, f"{place}: {set(expect) - known} is missing"
        for name in known - UNSTABLE:
            value = getattr(found, name)
            if name in expect and expect[name] is not None:
                same(expect[name], value, f"{place}.{name}")
            else:
                assert not value or not len(str(value)), f"{place}.{name}: {value!r} is not in JSON"
    elif isinstance(expect, dict):
        pairs = found.items() if hasattr(found, "items") else ((member.name, member.value) for member in found)
        pairs = list(pairs)
        assert len(pairs) == len(expect), place
        for name, value in pairs:
            same(expect[name], value, f"{place}[{name!r}]")
    elif isinstance(expect, list):
        assert len(expect) == len(found), f"{place}: {len(expect)} and {len(found)}"
        for i, (one, other) in enumerate(zip(expect, found)):
            same(one, other, f"{place}[{i}]")
    elif isinstance(expect, float) or isinstance(found, float):
        assert abs(expect - found) <= 1e-6 * max(1, abs(expect)), f"{place}: {expect} and {found}"
    else:
        assert expect == found, f"{place}: {expect!r} and {found!r}"


def refused(call, *arguments):
    try:
        answer = call(*arguments, timeout=PATIENCE)
        list(answer)
    except grpc.RpcError as error:
        return error
    raise AssertionError("it was answered")


def check(address):
    channel = grpc.insecure_channel(address)
    stub = cds_grpc.CdsStub(channel)

    def post(path, body):
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"http://{address}/api/v1/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    for method, request, parameters in ASKED:
        found = getattr(stub, method)(request, timeout=PATIENCE)
        same(post(method.lower(), parameters), found, f"{method} {parameters}")

    # A hit at a time.
    whole = stub.Search(cds.SearchRequest(query="cart"), timeout=PATIENCE)
    parts = list(stub.SearchStream(cds.SearchRequest(query="cart"), timeout=PATIENCE))
    assert [part.WhichOneof("part") for part in parts] == ["hit"] * len(whole.hits) + ["rest"]
    assert [part.hit for part in parts[:-1]] == list(whole.hits)
    assert parts[-1].rest.total == whole.total

    # What is wrong, by name.
    error = refused(stub.Search, cds.SearchRequest(query="a", limit=0))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    info = error_details_pb2.ErrorInfo()
    assert rpc_status.from_call(error).details[0].Unpack(info)
    assert (info.reason, info.domain) == ("invalid_parameter", "cds"), info
    assert dict(info.metadata) == {"field": "limit", "expected": "integer, at least 1, at most 1000", "received": "0"}
    error = refused(stub.Search, cds.SearchRequest())
    assert (error.code(), error.details()) == (grpc.StatusCode.INVALID_ARGUMENT, "query cannot be empty")
    assert refused(stub.Traverse, cds.TraverseRequest(**{"from": ["Nobody"]})).code() == grpc.StatusCode.NOT_FOUND
    unknown = channel.unary_unary("/cds.v1.Cds/No", lambda x: x, lambda x: x)
    assert refused(unknown, b"").code() == grpc.StatusCode.UNIMPLEMENTED
    unknown = channel.unary_unary("/no.Such/Thing", lambda x: x, lambda x: x)
    assert refused(unknown, b"").code() == grpc.StatusCode.UNIMPLEMENTED
    garbage = channel.unary_unary("/cds.v1.Cds/Search", lambda x: x, lambda x: x)
    assert refused(garbage, b"\xff" * 30).code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.INVALID_ARGUMENT)
    assert refused(garbage, b"a" * (2 << 20)).code() == grpc.StatusCode.RESOURCE_EXHAUSTED

    # Indexing, as it goes.
    tasks = list(stub.Index(cds.TaskRequest(force=True), timeout=PATIENCE))
    assert (tasks[-1].state, tasks[-1].files) == ("completed", len(SHOP)), tasks
    stub.Index(cds.TaskRequest(force=True), timeout=PATIENCE).cancel()

    health = health_pb2_grpc.HealthStub(channel)
    for service in ["", "cds.v1.Cds"]:
        answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, (service, answer)
    watched = health.Watch(health_pb2.HealthCheckRequest(service=""), timeout=PATIENCE)
    assert next(watched).status == health_pb2.HealthCheckResponse.SERVING
    watched.cancel()

    # A client that has no .proto asks for it.
    known = ProtoReflectionDescriptorDatabase(channel)
    assert {"cds.v1.Cds", "grpc.health.v1.Health"} <= set(known.get_services()), known.get_services()
    pool = DescriptorPool(known)
    method = pool.FindServiceByName("cds.v1.Cds").FindMethodByName("Search")
    asked = message_factory.GetMessageClass(method.input_type)
    answered = message_factory.GetMessageClass(method.output_type)
    call = channel.unary_unary("/cds.v1.Cds/Search", asked.SerializeToString, answered.FromString)
    assert call(asked(query="cart"), timeout=PATIENCE).total == whole.total
    channel.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "shop"), Path(folder, "home")
        home.mkdir()
        for path, text in SHOP.items():
            Path(root, path).parent.mkdir(parents=True, exist_ok=True)
            Path(root, path).write_text(text)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
        service = subprocess.Popen(
            [os.environ["CDS_BIN"], "serve", "--port", "0", "--no-watch"],
            cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        try:
            subprocess.run([os.environ["CDS_BIN"], "index"], cwd=root, env=environment, check=True, capture_output=True)
            address = service.stdout.readline().strip().removeprefix("listening on http://")
            started = time.monotonic()
            check(address)
            print(f"{len(ASKED)} questions by grpcio {grpc.__version__}: the same answers, {time.monotonic() - started:.1f} s")
        finally:
            service.terminate()
            assert service.wait(PATIENCE) == 0


main()
