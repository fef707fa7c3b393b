"""The chat format by `openai`."""

from __future__ import annotations

from typing import Any

import openai

from .scene import Call, Loop, Refusal, Scene, parsed

name = "openai (chat)"
flags: dict[str, list[str]] = {}


class Client:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.client = openai.OpenAI(api_key=scene.token, base_url=scene.base, max_retries=0)

    def _turns(self) -> list[Any]:
        scene = self.scene
        return [
            {"role": "system", "content": scene.system},
            {"role": "user", "content": scene.greeting},
            {"role": "assistant", "content": scene.greeted},
            {"role": "user", "content": scene.question},
        ]

    def _sampling(self) -> dict[str, Any]:
        scene = self.scene
        return {"temperature": scene.temperature, "max_completion_tokens": scene.max_tokens, "stop": [scene.stop]}

    def chat(self, model: str) -> str:
        reply = self.client.chat.completions.create(model=model, messages=self._turns(), **self._sampling())
        return reply.choices[0].message.content or ""

    def stream(self, model: str) -> str:
        stream = self.client.chat.completions.create(
            model=model, messages=self._turns(), stream=True, **self._sampling()
        )
        return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)

    def tools(self, model: str, results: list[str]) -> Loop:
        messages: list[Any] = [{"role": "user", "content": self.scene.question}]
        choice: Any = {"type": "function", "function": {"name": "get_weather"}}
        tools: Any = self.scene.function_tools
        first = self.client.chat.completions.create(model=model, messages=messages, tools=tools, tool_choice=choice)
        message = first.choices[0].message
        messages.append(message)
        for call, result in zip(message.tool_calls or [], results):
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        last = self.client.chat.completions.create(model=model, messages=messages, tools=tools)
        calls = [Call(call.function.name, parsed(call.function.arguments)) for call in message.tool_calls or []]
        return Loop(calls, last.choices[0].message.content or "")

    def schema(self, model: str) -> str:
        shape: Any = {"type": "json_schema", "json_schema": {"name": "w", "schema": self.scene.schema, "strict": True}}
        messages: Any = [{"role": "user", "content": self.scene.question}]
        reply = self.client.chat.completions.create(model=model, messages=messages, response_format=shape)
        return reply.choices[0].message.content or ""

    def images(self, model: str) -> str:
        content = [
            {"type": "text", "text": self.scene.question},
            {"type": "image_url", "image_url": {"url": self.scene.data_url}},
        ]
        messages: Any = [{"role": "user", "content": content}]
        reply = self.client.chat.completions.create(model=model, messages=messages)
        return reply.choices[0].message.content or ""

    def ask(self, model: str) -> None:
        self.client.chat.completions.create(model=model, messages=[{"role": "user", "content": self.scene.question}])


def refusal(error: Exception) -> Refusal:
    status = error.status_code if isinstance(error, openai.APIStatusError) else None
    return Refusal(isinstance(error, openai.OpenAIError), status, str(error))
