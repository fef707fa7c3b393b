"""LangChain over the messages format."""

from __future__ import annotations

from typing import Any

from langchain_anthropic import ChatAnthropic

from .langchain_models import LangChain, refusal
from .scene import Scene

__all__ = ["Client", "flags", "name", "refusal"]

name = "langchain-anthropic"
flags: dict[str, list[str]] = {}


def make(scene: Scene, model: str, sampling: dict[str, Any]) -> ChatAnthropic:
    return ChatAnthropic(model=model, api_key=scene.token, base_url=scene.url, max_retries=0, **{"max_tokens": 200, **sampling})


class Client(LangChain):
    def __init__(self, scene: Scene) -> None:
        super().__init__(scene, make, "max_tokens")
