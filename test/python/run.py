"""Lets the official Python libraries ask Weir, over every provider format and the sandbox, and prints what came of it.

Reads one JSON object from standard input, which `scripts/test-python.ts` writes: where Weir is, the scenes and what must come
of them. The exit code is 1 where a case failed.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
import urllib.error
import urllib.request
from typing import Any, Callable

from clients.scene import Scene

cases = ("chat", "stream", "tools", "schema", "images", "errors")


class Wrong(Exception):
    """What came is not what had to come."""


def equal(found: Any, expected: Any, what: str) -> None:
    if found != expected:
        raise Wrong(f"{what}: {found!r} instead of {expected!r}")


class Suite:
    def __init__(self, told: dict[str, Any]) -> None:
        self.told = told
        self.scene = Scene(**told["scene"])
        self.only = told.get("only", "")
        self.lines: list[tuple[str, str, str, str]] = []
        self.failures: list[str] = []

    def run(self) -> int:
        for module_name in self.told["modules"]:
            try:
                module = importlib.import_module(f"clients.{module_name}")
            except ImportError as error:
                # Every library is pinned, so one that cannot be loaded is a failure and no reason to skip.
                self.failures.append(f"{module_name}: {error}")
                continue
            if self.lacks(module):
                print(f"{module.name}: skipped, Weir has no {module.probe}")
                continue
            for provider in [*self.told["providers"], "sandbox"]:
                for case in cases:
                    self.one(module, module_name, provider, case)
        self.show()
        return 1 if self.failures else 0

    def lacks(self, module: Any) -> bool:
        probe = getattr(module, "probe", None)
        if probe is None:
            return False
        request = urllib.request.Request(self.scene.url + probe, data=b"{}", method="POST")
        try:
            urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            return error.code == 404
        return False

    def one(self, module: Any, module_name: str, provider: str, case: str) -> None:
        label = f"{module.name} × {case} × {provider}"
        if self.only not in label:
            return
        try:
            client = module.Client(self.scene)
            if provider == "sandbox":
                sandbox(self.told, module, client, case)
            else:
                scripted(self.told, module, client, case, provider, module_name)
            verdict = "ok"
        except Exception as error:  # noqa: BLE001 - whatever a library throws is this case's failure
            verdict = "FAILED"
            frames = traceback.format_exception(error)
            self.failures.append(f"{label}: {type(error).__name__}: {error}\n{''.join(frames[-3:])}")
        self.lines.append((module.name, case, provider, verdict))

    def show(self) -> None:
        places = [*self.told["providers"], "sandbox"]
        width = max((len(client) for client, *_ in self.lines), default=0)
        print(f"{'client'.ljust(width)}  case    {'  '.join(place.ljust(9) for place in places)}")
        verdicts = {(client, case, place): verdict for client, case, place, verdict in self.lines}
        for client in dict.fromkeys(line[0] for line in self.lines):
            for case in cases:
                row = [verdicts.get((client, case, place), "-").ljust(9) for place in places]
                print(f"{client.ljust(width)}  {case.ljust(6)}  {'  '.join(row)}")
        for failure in self.failures:
            print(f"\n{failure}")
        passed = sum(verdict == "ok" for *_, verdict in self.lines)
        print(f"\n{passed} passed, {len(self.failures)} failed")


def refused(module: Any, ask: Callable[[], Any], status: int, message: str) -> None:
    """The library's own error, with the status and the words."""
    try:
        ask()
    except Exception as error:  # noqa: BLE001 - judged below
        shown = module.refusal(error)
        equal(shown.own, True, f"an error of the library's own ({type(error).__module__}.{type(error).__name__})")
        equal(shown.status, status, "the status")
        if message not in shown.message:
            raise Wrong(f"the message: {shown.message!r} without {message!r}") from error
        return
    raise Wrong(f"an answer instead of {status}")


def scripted(told: dict[str, Any], module: Any, client: Any, case: str, provider: str, module_name: str) -> None:
    """The scripted provider refuses what differs from the scene, so a request that is wrong shows as an error."""
    expected = told["expected"]

    def model(scene: str) -> str:
        return f"{provider}/{'+'.join([scene, *module.flags.get(scene, [])])}"

    if case == "chat":
        equal(client.chat(model("text")), expected["text"], "the text")
    elif case == "stream":
        equal(client.stream(model("text")), expected["text"], "the text")
    elif case == "tools":
        scene = getattr(module, "tools_scene", "tools")
        made = expected["calls"][scene]
        loop = client.tools(model(scene), [call["result"] for call in made])
        found = [(call.name, call.arguments) for call in loop.calls]
        equal(found, [(call["name"], call["input"]) for call in made], "the calls")
        equal(loop.text, expected["after"], "the text after the results")
    elif case == "schema":
        found = client.schema(model("schema"))
        equal(json.loads(found) if isinstance(found, str) else found, json.loads(expected["schema"]), "the object")
    elif case == "images":
        equal(client.images(f"{provider}/images+data"), expected["images"], "the text")
    else:
        busy, wrong = expected["faults"]["busy"], expected["faults"]["wrong"]
        alias = f"{provider}-{module_name}".replace("_", "-")
        refused(module, lambda: client.ask(f"{alias}/busy"), busy["status"], busy["message"])
        refused(module, lambda: client.ask(model("wrong")), wrong["status"], wrong["message"])


def sandbox(told: dict[str, Any], module: Any, client: Any, case: str) -> None:
    """The sandbox answers anything: what is judged is that each kind of answer reaches the library."""
    model = "sandbox-chat"
    if case == "chat":
        equal(client.chat(model) != "", True, "a text")
    elif case == "stream":
        equal(client.stream(model) != "", True, "a text")
    elif case == "tools":
        loop = client.tools(model, ["18 degrees", "7 degrees", "09:30"])
        equal({call.name for call in loop.calls} <= {"get_weather", "get_time"} and len(loop.calls) > 0, True, "calls")
        equal(loop.text != "", True, "a text after the results")
    elif case == "schema":
        found = client.schema(model)
        tree = json.loads(found) if isinstance(found, str) else found
        equal(sorted(tree), sorted(told["scene"]["schema"]["required"]), "the members of the object")
    elif case == "images":
        equal(client.images(model) != "", True, "a text")
    else:
        refused(module, lambda: client.ask("no-such-model"), 404, "no-such-model")
        refused(module, lambda: client.ask("sandbox-429"), 429, "")


if __name__ == "__main__":
    sys.exit(Suite(json.load(sys.stdin)).run())
