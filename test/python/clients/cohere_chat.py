"""Cohere's second chat API by `cohere`; asked only where Weir has its path."""

from __future__ import annotations

from typing import Any

import cohere
from cohere.core.api_error import ApiError

from .scene import Call, Loop, Refusal, Scene, parsed

name = "cohere"
flags: dict[str, list[str]] = {}
# It cannot demand one tool by its name, only that one is called.
tools_scene = "parallel"
probe = "/v2/chat"


class Client:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.client = cohere.ClientV2(api_key=scene.token, base_url=scene.url)

    def _question(self) -> dict[str, Any]:
        scene = self.scene
        turns = [
            {"role": "system", "content": scene.system},
            {"role": "user", "content": scene.greeting},
            {"role": "assistant", "content": scene.greeted},
            {"role": "user", "content": scene.question},
        ]
        return {
            "messages": turns,
            "temperature": scene.temperature,
            "max_tokens": scene.max_tokens,
            "stop_sequences": [scene.stop],
        }

    def chat(self, model: str) -> str:
        return text_of(self.client.chat(model=model, **self._question()).message)

    def stream(self, model: str) -> str:
        text = ""
        for event in self.client.chat_stream(model=model, **self._question()):
            if event.type == "content-delta":
                text += event.delta.message.content.text or ""
        return text

    def tools(self, model: str, results: list[str]) -> Loop:
        tools: Any = self.scene.function_tools
        turns: list[Any] = [{"role": "user", "content": self.scene.question}]
        first = self.client.chat(model=model, messages=turns, tools=tools, tool_choice="REQUIRED").message
        made = first.tool_calls or []
        turns.append(first)
        for call, result in zip(made, results):
            turns.append({"role": "tool", "tool_call_id": call.id, "content": result})
        last = self.client.chat(model=model, messages=turns, tools=tools).message
        calls = [Call(call.function.name, parsed(call.function.arguments)) for call in made]
        return Loop(calls, text_of(last))

    def schema(self, model: str) -> str:
        turns: Any = [{"role": "user", "content": self.scene.question}]
        shape: Any = {"type": "json_object", "json_schema": self.scene.schema}
        return text_of(self.client.chat(model=model, messages=turns, response_format=shape).message)

    def images(self, model: str) -> str:
        content = [
            {"type": "text", "text": self.scene.question},
            {"type": "image_url", "image_url": {"url": self.scene.data_url}},
        ]
        turns: Any = [{"role": "user", "content": content}]
        return text_of(self.client.chat(model=model, messages=turns).message)

    def ask(self, model: str) -> None:
        turns: Any = [{"role": "user", "content": self.scene.question}]
        options: Any = {"max_retries": 0}
        self.client.chat(model=model, messages=turns, request_options=options)


def text_of(message: Any) -> str:
    return "".join(part.text for part in message.content or [] if part.type == "text")


def refusal(error: Exception) -> Refusal:
    status = error.status_code if isinstance(error, ApiError) else None
    return Refusal(isinstance(error, ApiError), status, str(error))
