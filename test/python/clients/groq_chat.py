"""The chat format by `groq`, which writes `/openai/v1` behind the address by itself."""

from __future__ import annotations

import groq

from . import openai_chat
from .scene import Refusal, Scene

name = "groq"
flags: dict[str, list[str]] = {}


class Client(openai_chat.Client):
    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.client = groq.Groq(api_key=scene.token, base_url=scene.url, max_retries=0)


def refusal(error: Exception) -> Refusal:
    status = error.status_code if isinstance(error, groq.APIStatusError) else None
    return Refusal(isinstance(error, groq.GroqError), status, str(error))
