"""The chat format by `openai` as Azure's client: the model is a deployment in the path, the token an `api-key`."""

from __future__ import annotations

import openai

from . import openai_chat
from .openai_chat import flags, refusal
from .scene import Scene

__all__ = ["Client", "flags", "name", "refusal"]

name = "openai (Azure)"


class Client(openai_chat.Client):
    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.client = openai.AzureOpenAI(
            api_key=scene.token, azure_endpoint=scene.url, api_version="2024-10-21", max_retries=0
        )
