/** First requests of agents with the responses format. */

import { type Agent, readSchema, runSchema, task } from './agent.ts';

const said = (role: string, ...texts: string[]): object => ({
  type: 'message',
  role,
  content: texts.map((text) => ({ type: 'input_text', text })),
});

const functions = [
  { type: 'function', name: 'read_file', description: 'Reads a file.', parameters: readSchema, strict: false },
  { type: 'function', name: 'exec_command', description: 'Runs a command.', parameters: runSchema, strict: false },
];

function agent(name: string, fields: object): Agent {
  return { name, wire: 'responses', callsTools: true, first: (model) => ({ model, ...fields }) };
}

const codex = {
  instructions: 'You are Codex.',
  input: [
    said('developer', '<permissions>ask</permissions>', '<skills>none</skills>'),
    said('user', '<environment>linux</environment>'),
    said('user', task),
  ],
  tools: [
    ...functions,
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
    },
    { type: 'namespace', name: 'mcp__notes', description: 'Notes.', tools: [{ ...functions[0], name: 'list' }] },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '019a8c1e-7f00-7000-8000-000000000000',
};

export const responsesAgents: readonly Agent[] = [
  agent('Codex', { ...codex, reasoning: { effort: 'medium', summary: 'auto' }, text: { verbosity: 'low' } }),
  agent('Codex (xhigh)', { ...codex, reasoning: { effort: 'xhigh', summary: 'auto' } }),
  agent('opencode (responses)', {
    input: [
      { role: 'developer', content: 'You are opencode.' },
      { role: 'user', content: [{ type: 'input_text', text: task }] },
    ],
    max_output_tokens: 32_000,
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    text: { verbosity: 'low' },
    prompt_cache_key: 'ses_1',
    tools: functions,
    tool_choice: 'auto',
  }),
];
