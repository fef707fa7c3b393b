/** First requests of agents with the messages format. */

import type { Json } from '../rules/refusal.ts';
import { type Agent, readSchema, runSchema, task } from './agent.ts';

const mark = { type: 'ephemeral' };
const text = (said: string): object => ({ type: 'text', text: said });
const tools = [
  { name: 'Read', description: 'Reads a file.', input_schema: readSchema },
  { name: 'Bash', description: 'Runs a command.', input_schema: runSchema },
];

/** The one that Claude Code sends: 150 characters of JSON. */
const longId = JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: '0'.repeat(36) }).padEnd(150);

const claudeCode = (thinking: Json): Json => ({
  max_tokens: 32_000,
  system: [
    text('billing: cli'),
    { ...text('You are Claude Code.'), cache_control: mark },
    { ...text('Be brief.'), cache_control: mark },
  ],
  messages: [
    {
      role: 'user',
      content: [text('<system-reminder>Today.</system-reminder>'), { ...text(task), cache_control: mark }],
    },
    { role: 'system', content: 'Available agent types: explore.' },
  ],
  tools,
  metadata: { user_id: longId },
  ...thinking,
});

function agent(name: string, fields: Json, headers?: Readonly<Record<string, string>>): Agent {
  return {
    name,
    wire: 'messages',
    callsTools: true,
    ...(headers !== undefined && { headers }),
    first: (model) => ({ model, ...fields }),
  };
}

const clearing = { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } };

const betas = {
  'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14,mid-conversation-system-2026-04-07',
};

export const messagesAgents: readonly Agent[] = [
  agent(
    'Claude Code',
    claudeCode({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' }, ...clearing }),
    betas,
  ),
  agent(
    'Claude Code (budget)',
    claudeCode({ thinking: { type: 'enabled', budget_tokens: 31_999 }, ...clearing }),
    betas,
  ),
  agent('Claude Code (no thinking)', claudeCode({ thinking: { type: 'disabled' }, temperature: 1 }), betas),
  agent('opencode (messages)', {
    max_tokens: 32_000,
    system: [{ ...text('You are opencode.'), cache_control: mark }],
    messages: [{ role: 'user', content: [{ ...text(task), cache_control: mark }] }],
    thinking: { type: 'enabled', budget_tokens: 16_000 },
    tools,
    tool_choice: { type: 'auto' },
  }),
  agent('pi (messages)', {
    max_tokens: 32_000,
    system: 'You are pi.',
    messages: [{ role: 'user', content: task }],
    thinking: { type: 'enabled', budget_tokens: 8_192, display: 'summarized' },
    tools,
  }),
  agent('Copilot CLI (messages)', {
    max_tokens: 64_000,
    system: 'You are a coding agent.',
    messages: [{ role: 'user', content: [text(task)] }],
    temperature: 0,
    top_p: 0.95,
    top_k: 40,
    tools,
  }),
];
