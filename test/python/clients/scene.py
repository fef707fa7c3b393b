"""What is asked and what must come of it: the scenes of the scripted providers, as the runner hands them over."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Scene:
    """The data of `test/fake-upstream/wire/scenes.ts`."""

    url: str
    token: str
    system: str
    greeting: str
    greeted: str
    question: str
    temperature: float
    max_tokens: int
    stop: str
    tools: list[dict[str, Any]]
    image: str
    image_type: str
    schema: dict[str, Any]

    @property
    def base(self) -> str:
        return f"{self.url}/v1"

    @property
    def data_url(self) -> str:
        return f"data:{self.image_type};base64,{self.image}"

    @property
    def function_tools(self) -> list[dict[str, Any]]:
        """As chat clients declare them."""
        return [{"type": "function", "function": tool} for tool in self.tools]


@dataclass(frozen=True)
class Call:
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Loop:
    """A question that was answered with calls, and what came after their results."""

    calls: list[Call]
    text: str


@dataclass(frozen=True)
class Refusal:
    """How a library shows that a request failed."""

    own: bool
    status: int | None
    message: str


def parsed(arguments: Any) -> dict[str, Any]:
    return json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
