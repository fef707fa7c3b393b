"""LangChain's chat models: one client for all, because their interface is one."""

from __future__ import annotations

from typing import Any, Callable

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from .scene import Call, Loop, Refusal, Scene

Make = Callable[[Scene, str, dict[str, Any]], BaseChatModel]


class LangChain:
    """`sampling` is what the model's own constructor calls temperature, limit and stop sequences."""

    def __init__(self, scene: Scene, make: Make, limit: str, stops: bool = True) -> None:
        self.scene = scene
        self.make = make
        self.limit = limit
        self.stops = stops

    def _sampled(self, model: str) -> Any:
        scene = self.scene
        made = self.make(scene, model, {"temperature": scene.temperature, self.limit: scene.max_tokens})
        return made.bind(stop=[scene.stop]) if self.stops else made

    def _plain(self, model: str) -> Any:
        return self.make(self.scene, model, {})

    def _turns(self) -> list[Any]:
        scene = self.scene
        return [
            SystemMessage(scene.system),
            HumanMessage(scene.greeting),
            AIMessage(scene.greeted),
            HumanMessage(scene.question),
        ]

    def chat(self, model: str) -> str:
        return text_of(self._sampled(model).invoke(self._turns()))

    def stream(self, model: str) -> str:
        return "".join(text_of(chunk) for chunk in self._sampled(model).stream(self._turns()))

    def tools(self, model: str, results: list[str]) -> Loop:
        tools = self.scene.function_tools
        turns: list[Any] = [HumanMessage(self.scene.question)]
        plain = self._plain(model)
        first = plain.bind_tools(tools, tool_choice="get_weather").invoke(turns)
        turns.append(first)
        for call, result in zip(first.tool_calls, results):
            turns.append(ToolMessage(result, tool_call_id=call["id"], name=call["name"]))
        last = plain.bind_tools(tools).invoke(turns)
        return Loop([Call(call["name"], call["args"]) for call in first.tool_calls], text_of(last))

    def schema(self, model: str) -> Any:
        shape = {"title": "weather", "description": "The weather of a city.", **self.scene.schema}
        return self._plain(model).with_structured_output(shape, method="json_schema").invoke(self.scene.question)

    def images(self, model: str) -> str:
        content: Any = [
            {"type": "text", "text": self.scene.question},
            {"type": "image", "base64": self.scene.image, "mime_type": self.scene.image_type},
        ]
        return text_of(self._plain(model).invoke([HumanMessage(content=content)]))

    def ask(self, model: str) -> None:
        self._plain(model).invoke(self.scene.question)


def text_of(message: Any) -> str:
    """`text` was a method once and is a property now."""
    return str(message.text() if callable(message.text) and not isinstance(message.text, str) else message.text)


def status_of(error: BaseException | None) -> int | None:
    """Of the error itself or of the one that it was made from."""
    while error is not None:
        for field in ("status_code", "code"):
            status = getattr(error, field, None)
            if isinstance(status, int):
                return status
        error = error.__cause__
    return None


def refusal(error: Exception) -> Refusal:
    package = type(error).__module__.split(".")[0]
    own = package.startswith("langchain_") or package in {"openai", "anthropic", "google"}
    cause = f" {error.__cause__}" if error.__cause__ is not None else ""
    return Refusal(own, status_of(error), f"{error}{cause}")
