"""LangChain over the content-generation format."""

from __future__ import annotations

from typing import Any

from langchain_google_genai import ChatGoogleGenerativeAI

from .langchain_models import LangChain, refusal
from .scene import Scene

__all__ = ["Client", "flags", "name", "refusal"]

name = "langchain-google-genai"
# It makes ids of its own for calls and gives none back.
flags = {"tools": ["unnamed"]}


def make(scene: Scene, model: str, sampling: dict[str, Any]) -> ChatGoogleGenerativeAI:
    return ChatGoogleGenerativeAI(model=model, api_key=scene.token, base_url=scene.url, max_retries=1, **sampling)


class Client(LangChain):
    def __init__(self, scene: Scene) -> None:
        super().__init__(scene, make, "max_output_tokens")
