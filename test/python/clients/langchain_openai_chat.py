"""LangChain over the chat format."""

from __future__ import annotations

from typing import Any

from langchain_openai import ChatOpenAI

from .langchain_models import LangChain, refusal
from .scene import Scene

__all__ = ["Client", "flags", "name", "refusal"]

name = "langchain-openai (chat)"
flags: dict[str, list[str]] = {}


def make(scene: Scene, model: str, sampling: dict[str, Any]) -> ChatOpenAI:
    return ChatOpenAI(model=model, api_key=scene.token, base_url=scene.base, max_retries=0, **sampling)


class Client(LangChain):
    def __init__(self, scene: Scene) -> None:
        super().__init__(scene, make, "max_tokens")
