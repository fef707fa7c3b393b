/** First requests of agents with the content-generation format. */

import type { Json } from '../rules/refusal.ts';
import { type Agent, readSchema, runSchema, task } from './agent.ts';

const contents = [{ role: 'user', parts: [{ text: 'This is the context.' }, { text: task }] }];

const tools = [
  {
    functionDeclarations: [
      { name: 'read_file', description: 'Reads a file.', parametersJsonSchema: readSchema },
      { name: 'run_shell_command', description: 'Runs a command.', parametersJsonSchema: runSchema },
    ],
  },
];

function agent(name: string, generationConfig: Json): Agent {
  const systemInstruction = { role: 'user', parts: [{ text: 'You are a coding agent.' }] };
  return {
    name,
    wire: 'generate',
    callsTools: true,
    first: () => ({ contents, systemInstruction, tools, generationConfig }),
  };
}

export const generateAgents: readonly Agent[] = [
  agent('Gemini CLI', {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 8_192 },
  }),
  agent('Gemini CLI (levels)', {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
  }),
  agent('Gemini CLI (helper)', { temperature: 0, maxOutputTokens: 70_000, thinkingConfig: { thinkingBudget: 0 } }),
  agent('Qwen Code (generate)', { temperature: 0.3, topP: 0.8, maxOutputTokens: 16_384 }),
];
