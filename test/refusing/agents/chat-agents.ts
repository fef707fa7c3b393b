/** First requests of agents with the chat format. */

import { type Agent, readSchema, runSchema, task } from './agent.ts';

const tools = [
  { type: 'function', function: { name: 'read_file', description: 'Reads a file.', parameters: readSchema } },
  { type: 'function', function: { name: 'run', description: 'Runs a command.', parameters: runSchema, strict: false } },
];

const system = { role: 'system', content: 'You are a coding agent.' };
const user = { role: 'user', content: task };
const text = (said: string): object => ({ type: 'text', text: said });

function agent(name: string, fields: object, callsTools = true): Agent {
  return { name, wire: 'chat', callsTools, first: (model) => ({ model, ...fields }) };
}

export const chatAgents: readonly Agent[] = [
  agent('opencode (compatible)', { max_tokens: 32_000, messages: [system, user], tools, tool_choice: 'auto' }),
  agent('pi (chat)', {
    messages: [{ role: 'developer', content: system.content }, user],
    store: false,
    max_completion_tokens: 32_000,
    reasoning_effort: 'medium',
    tools,
  }),
  agent('Copilot CLI (chat)', {
    messages: [system, { role: 'user', content: [text('<context>a.txt</context>'), text(task)] }],
    reasoning_effort: 'high',
    temperature: 0,
    top_p: 0.95,
    max_tokens: 64_000,
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: true,
  }),
  agent('Qwen Code (chat)', {
    messages: [
      { role: 'system', content: [{ ...text(system.content), cache_control: { type: 'ephemeral' } }] },
      { role: 'user', content: [text('The date is known.'), text(task)] },
    ],
    temperature: 0.3,
    top_p: 0.8,
    max_tokens: 8_192,
    tools,
  }),
  agent('Cline', {
    messages: [system, { role: 'user', content: [text(task), text('<environment>linux</environment>')] }],
    temperature: 0,
    max_tokens: 8_192,
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: false,
  }),
  agent('Continue cn', {
    messages: [system, user, { role: 'system', content: 'Mind the rules of the project.' }],
    max_tokens: 16_384,
    tools,
    parallel_tool_calls: false,
    user: '3f0d6f9e-5a1c-4a33-9c5e-3f0d6f9e5a1c:3f0d6f9e-5a1c-4a33-9c5e-3f0d6f9e5a1c',
  }),
  agent('Open WebUI', {
    messages: [system, { role: 'system', content: 'Tools are at hand.' }, user],
    seed: 7,
    stop: ['<end>'],
    frequency_penalty: 0.1,
    tools,
  }),
  agent(
    'aider',
    { messages: [system, user, { role: 'system', content: 'Answer with edits.' }], temperature: 0 },
    false,
  ),
];
