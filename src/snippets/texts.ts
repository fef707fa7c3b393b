/** The texts of the snippets each imported by name so that it is part of the executable. */

import aiSdk from './texts/ai-sdk.txt' with { type: 'text' };
import aider from './texts/aider.txt' with { type: 'text' };
import claudeCode from './texts/claude-code.txt' with { type: 'text' };
import cline from './texts/cline.txt' with { type: 'text' };
import codex from './texts/codex.txt' with { type: 'text' };
import codexConfig from './texts/codex-config.txt' with { type: 'text' };
import continueCommand from './texts/continue.txt' with { type: 'text' };
import continueConfig from './texts/continue-config.txt' with { type: 'text' };
import copilotCli from './texts/copilot-cli.txt' with { type: 'text' };
import curl from './texts/curl.txt' with { type: 'text' };
import geminiCli from './texts/gemini-cli.txt' with { type: 'text' };
import geminiCliSettings from './texts/gemini-cli-settings.txt' with { type: 'text' };
import langchain from './texts/langchain.txt' with { type: 'text' };
import llamaindex from './texts/llamaindex.txt' with { type: 'text' };
import node from './texts/node.txt' with { type: 'text' };
import openWebui from './texts/open-webui.txt' with { type: 'text' };
import opencode from './texts/opencode.txt' with { type: 'text' };
import opencodeConfig from './texts/opencode-config.txt' with { type: 'text' };
import pi from './texts/pi.txt' with { type: 'text' };
import piModels from './texts/pi-models.txt' with { type: 'text' };
import pydanticAi from './texts/pydantic-ai.txt' with { type: 'text' };
import python from './texts/python.txt' with { type: 'text' };
import qwenCode from './texts/qwen-code.txt' with { type: 'text' };

export const texts = {
  aiSdk,
  aider,
  claudeCode,
  cline,
  codex,
  codexConfig,
  continueCommand,
  continueConfig,
  copilotCli,
  curl,
  geminiCli,
  geminiCliSettings,
  langchain,
  llamaindex,
  node,
  openWebui,
  opencode,
  opencodeConfig,
  pi,
  piModels,
  pydanticAi,
  python,
  qwenCode,
} as const;
