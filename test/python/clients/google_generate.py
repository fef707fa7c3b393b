"""The content-generation format by `google-genai`, with the API version that it asks for by itself."""

from __future__ import annotations

import base64
from typing import Any

from google import genai
from google.genai import errors, types

from .scene import Call, Loop, Refusal, Scene, parsed

name = "google-genai"
flags: dict[str, list[str]] = {}


class Client:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        options = types.HttpOptions(base_url=scene.url)
        self.client = genai.Client(api_key=scene.token, http_options=options)

    def _turns(self) -> list[Any]:
        scene = self.scene
        said = [("user", scene.greeting), ("model", scene.greeted), ("user", scene.question)]
        return [types.Content(role=role, parts=[types.Part(text=text)]) for role, text in said]

    def _config(self) -> types.GenerateContentConfig:
        scene = self.scene
        return types.GenerateContentConfig(
            system_instruction=scene.system,
            temperature=scene.temperature,
            max_output_tokens=scene.max_tokens,
            stop_sequences=[scene.stop],
        )

    def chat(self, model: str) -> str:
        return self.client.models.generate_content(
            model=model, contents=self._turns(), config=self._config()
        ).text or ""

    def stream(self, model: str) -> str:
        stream = self.client.models.generate_content_stream(
            model=model, contents=self._turns(), config=self._config()
        )
        return "".join(chunk.text or "" for chunk in stream)

    def tools(self, model: str, results: list[str]) -> Loop:
        declared = [
            types.FunctionDeclaration(
                name=tool["name"], description=tool["description"], parameters_json_schema=tool["parameters"]
            )
            for tool in self.scene.tools
        ]
        tools: Any = [types.Tool(function_declarations=declared)]
        choice = types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(
                mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=["get_weather"]
            )
        )
        turns: list[Any] = [types.Content(role="user", parts=[types.Part(text=self.scene.question)])]
        first = self.client.models.generate_content(
            model=model, contents=turns, config=types.GenerateContentConfig(tools=tools, tool_config=choice)
        )
        made = first.function_calls or []
        turns.append(first.candidates[0].content)
        answers = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=call.id, name=call.name, response={"output": result}
                )
            )
            for call, result in zip(made, results)
        ]
        turns.append(types.Content(role="user", parts=answers))
        last = self.client.models.generate_content(
            model=model, contents=turns, config=types.GenerateContentConfig(tools=tools)
        )
        return Loop([Call(call.name or "", parsed(call.args or {})) for call in made], last.text or "")

    def schema(self, model: str) -> str:
        config = types.GenerateContentConfig(
            response_mime_type="application/json", response_json_schema=self.scene.schema
        )
        return self.client.models.generate_content(
            model=model, contents=self.scene.question, config=config
        ).text or ""

    def images(self, model: str) -> str:
        picture = types.Part.from_bytes(data=base64.b64decode(self.scene.image), mime_type=self.scene.image_type)
        contents: Any = [picture, self.scene.question]
        return self.client.models.generate_content(model=model, contents=contents).text or ""

    def ask(self, model: str) -> None:
        self.client.models.generate_content(model=model, contents=self.scene.question)


def refusal(error: Exception) -> Refusal:
    status = error.code if isinstance(error, errors.APIError) else None
    return Refusal(isinstance(error, errors.APIError), status, str(error))
