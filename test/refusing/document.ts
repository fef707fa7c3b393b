/** Writes the part of docs/compatibility.md that a run of the agents shows. */

import { refusingModels } from './models.ts';
import type { WireName } from './rules/refusal.ts';
import { type AgentCell, agents } from './run-agents.ts';

const vendors: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  deepseek: 'DeepSeek',
  moonshot: 'Moonshot',
  vllm: 'vLLM',
  zhipu: 'Zhipu',
};

const wireNames: Readonly<Record<WireName, string>> = {
  chat: 'chat',
  responses: 'responses',
  messages: 'messages',
  generate: 'content generation',
};

/** What the scripted models of each vendor refuse. */
const refusals: readonly (readonly [vendor: string, refuses: string])[] = [
  [
    'openai',
    "fields that it does not know, sampling while the model reasons, efforts that are not the model's, reasoning of models without it, " +
      "`max_tokens` of reasoning models, limits beyond the model's, tools on the chat path (from 5.6 on), `none` (6.1) and `max` on the chat path (6), ids of users above 64 characters",
  ],
  [
    'anthropic',
    "adaptive thinking up to 4.5, budgets from 4.7 on, `disabled` on 5.5, efforts that are not the model's, sampling from 4.7 on, a " +
      "temperature with `top_p` before, limits and budgets beyond the model's, system turns inside a conversation before 4.8, blank texts; 5.5 and Fable 5.1: forced tools, thoughts that are not their own and an " +
      "assistant's turn at the end; Opus 5: `disabled` beside an effort above `high`",
  ],
  [
    'gemini',
    "thinking of 2.0, levels of 2.5, budgets outside of the model's, budget 0 of models that always think, limits beyond the model's, " +
      'unknown fields and keywords of schemas, calls without their signature (3), the level `minimal`, `candidateCount` and a model turn at the end (3.8)',
  ],
  [
    'deepseek',
    'texts as lists, the role `developer`; V4: calls without the thoughts that they were made with, forced tools while it thinks',
  ],
  ['moonshot', 'the role `developer`, calls without their thoughts, forced tools while it thinks'],
  ['vllm', "system turns that are not the first (Qwen's template), the role `developer`"],
  ['zhipu', 'ids of users below 6 and above 128 characters, the role `developer`'],
];

export function agentsSection(cells: readonly AgentCell[]): string {
  const failed = cells.filter(({ failure }) => failure !== undefined).length;
  return `
## Agents and models that refuse

Agents send one kind of request to every model. Each row is a first request modeled on what the agent was observed to
send (reasoning, sampling, limits, roles and ids), then four calls of a tool, one a turn, and the answer in the fifth;
whole and streamed. Each column counts the models of a provider that refuses what the real one is publicly known to
refuse, with its messages; its rules (\`test/refusing/rules/\`) are independent of Weir's own table of models.
Passed in this run: ${cells.length - failed} of ${cells.length}.

${table(cells)}

The models, and what their scripted provider refuses:

${refusals.map(([vendor, refuses]) => wrapped(`- **${vendors[vendor]}** (${modelsOf(vendor)}): ${refuses}.`)).join('\n')}
`;
}

function modelsOf(vendor: string): string {
  const own = refusingModels.filter(([kind]) => kind === vendor);
  return own.map(([, model]) => `\`${model}\``).join(', ');
}

function table(cells: readonly AgentCell[]): string {
  const kinds = Object.keys(vendors);
  const rows = agents.map((agent) => {
    const counts = kinds.map((kind) => {
      const own = cells.filter((cell) => cell.agent === agent && cell.model[0] === kind);
      return `${own.filter(({ failure }) => failure === undefined).length}/${own.length}`;
    });
    return [agent.name, wireNames[agent.wire], ...counts];
  });
  const head = ['agent', 'its format', ...Object.values(vendors)];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const columnsMax = 118;

/** Lines of a list's entry, broken between words. */
function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= columnsMax) {
      lines.push(line);
      line = ` `;
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
