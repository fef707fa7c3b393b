"""The messages format by `anthropic`."""

from __future__ import annotations

from typing import Any

import anthropic

from .scene import Call, Loop, Refusal, Scene, parsed

name = "anthropic"
flags: dict[str, list[str]] = {}


class Client:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.client = anthropic.Anthropic(api_key=scene.token, base_url=scene.url, max_retries=0)

    def _question(self) -> dict[str, Any]:
        scene = self.scene
        turns = [
            {"role": "user", "content": scene.greeting},
            {"role": "assistant", "content": scene.greeted},
            {"role": "user", "content": scene.question},
        ]
        return {
            "system": scene.system,
            "messages": turns,
            "max_tokens": scene.max_tokens,
            "stop_sequences": [scene.stop],
            # Its newest version has no argument for it any more.
            "extra_body": {"temperature": scene.temperature},
        }

    def chat(self, model: str) -> str:
        return text_of(self.client.messages.create(model=model, **self._question()))

    def stream(self, model: str) -> str:
        with self.client.messages.stream(model=model, **self._question()) as stream:
            text = "".join(stream.text_stream)
            whole = text_of(stream.get_final_message())
        if whole != text:
            raise AssertionError(f"the deltas say {text!r}, the end says {whole!r}")
        return text

    def tools(self, model: str, results: list[str]) -> Loop:
        tools: Any = [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
            for tool in self.scene.tools
        ]
        turns: list[Any] = [{"role": "user", "content": self.scene.question}]
        choice: Any = {"type": "tool", "name": "get_weather"}
        first = self.client.messages.create(
            model=model, max_tokens=200, messages=turns, tools=tools, tool_choice=choice
        )
        made = [block for block in first.content if block.type == "tool_use"]
        answers = [
            {"type": "tool_result", "tool_use_id": block.id, "content": result} for block, result in zip(made, results)
        ]
        turns += [{"role": "assistant", "content": first.content}, {"role": "user", "content": answers}]
        last = self.client.messages.create(model=model, max_tokens=200, messages=turns, tools=tools)
        return Loop([Call(block.name, parsed(block.input)) for block in made], text_of(last))

    def schema(self, model: str) -> str:
        turns: Any = [{"role": "user", "content": self.scene.question}]
        shape: Any = {"format": {"type": "json_schema", "schema": self.scene.schema}}
        return text_of(self.client.messages.create(model=model, max_tokens=200, messages=turns, output_config=shape))

    def images(self, model: str) -> str:
        source = {"type": "base64", "media_type": self.scene.image_type, "data": self.scene.image}
        content = [{"type": "image", "source": source}, {"type": "text", "text": self.scene.question}]
        turns: Any = [{"role": "user", "content": content}]
        return text_of(self.client.messages.create(model=model, max_tokens=200, messages=turns))

    def ask(self, model: str) -> None:
        turns: Any = [{"role": "user", "content": self.scene.question}]
        self.client.messages.create(model=model, max_tokens=200, messages=turns)


def text_of(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def refusal(error: Exception) -> Refusal:
    status = error.status_code if isinstance(error, anthropic.APIStatusError) else None
    return Refusal(isinstance(error, anthropic.AnthropicError), status, str(error))
