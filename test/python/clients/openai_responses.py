"""The responses format by `openai`."""

from __future__ import annotations

from typing import Any

import openai

from .openai_chat import refusal
from .scene import Call, Loop, Scene, parsed

__all__ = ["Client", "flags", "name", "refusal"]

name = "openai (responses)"
# The format has no stop sequences.
flags = {"text": ["nostop"]}


class Client:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.client = openai.OpenAI(api_key=scene.token, base_url=scene.base, max_retries=0)

    def _question(self) -> dict[str, Any]:
        scene = self.scene
        turns = [
            {"role": "user", "content": scene.greeting},
            {"role": "assistant", "content": scene.greeted},
            {"role": "user", "content": scene.question},
        ]
        return {
            "instructions": scene.system,
            "input": turns,
            "temperature": scene.temperature,
            "max_output_tokens": scene.max_tokens,
        }

    def chat(self, model: str) -> str:
        return self.client.responses.create(model=model, **self._question()).output_text

    def stream(self, model: str) -> str:
        text = ""
        with self.client.responses.stream(model=model, **self._question()) as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    text += event.delta
            whole = stream.get_final_response().output_text
        if whole != text:
            raise AssertionError(f"the deltas say {text!r}, the end says {whole!r}")
        return text

    def tools(self, model: str, results: list[str]) -> Loop:
        tools: Any = [{"type": "function", "strict": False, **tool} for tool in self.scene.tools]
        turns: list[Any] = [{"role": "user", "content": self.scene.question}]
        choice: Any = {"type": "function", "name": "get_weather"}
        first = self.client.responses.create(model=model, input=turns, tools=tools, tool_choice=choice)
        made = [item for item in first.output if item.type == "function_call"]
        turns += first.output
        for call, result in zip(made, results):
            turns.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
        last = self.client.responses.create(model=model, input=turns, tools=tools)
        return Loop([Call(call.name, parsed(call.arguments)) for call in made], last.output_text)

    def schema(self, model: str) -> str:
        shape: Any = {"format": {"type": "json_schema", "name": "w", "schema": self.scene.schema, "strict": True}}
        return self.client.responses.create(model=model, input=self.scene.question, text=shape).output_text

    def images(self, model: str) -> str:
        content = [
            {"type": "input_text", "text": self.scene.question},
            {"type": "input_image", "image_url": self.scene.data_url, "detail": "auto"},
        ]
        turns: Any = [{"role": "user", "content": content}]
        return self.client.responses.create(model=model, input=turns).output_text

    def ask(self, model: str) -> None:
        self.client.responses.create(model=model, input=self.scene.question)
