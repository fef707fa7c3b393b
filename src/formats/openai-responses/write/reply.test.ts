/** A whole reply has every field that the format's strict readers want, each echoed from the request. */

import { expect, test } from 'bun:test';
import { expectValid } from '../../../../test/harness/schema.ts';
import type { Tree } from '../../../conversation/json-tree.ts';
import type { FinishReason, TextReply } from '../../../conversation/text-reply.ts';
import { unknownUsage } from '../../../conversation/usage.ts';
import { writeReply } from './reply.ts';

let made = 0;
const reply = (reason: FinishReason, fields: Partial<TextReply> = {}): TextReply => ({
  id: 'chatcmpl-1',
  model: 'm',
  createdAtMs: 1_700_000_000_999,
  candidates: [{ parts: [{ type: 'text', text: 'Hi' }], finish: { reason } }],
  usage: { input: { total: 2 }, output: { total: 1 } },
  ...fields,
});

function write(whole: TextReply, request: Tree = {}) {
  const context = { request, nowMs: 1_700_000_002_000, newId: (prefix: string) => `${prefix}${++made}` };
  const { value, losses } = writeReply(whole, context);
  const printed = JSON.parse(JSON.stringify(value)) as Tree;
  expectValid('Response', printed);
  return { value: printed, losses };
}

test('a bare request gets the defaults', () => {
  const { value } = write(reply('stop'));
  const [item] = value['output'] as Tree[];
  expect(value).toEqual({
    id: 'resp_chatcmpl-1',
    object: 'response',
    created_at: 1_700_000_000,
    completed_at: 1_700_000_002,
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: 'm',
    output: [
      {
        id: item?.['id'],
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
      },
    ],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: 'disabled',
    usage: {
      input_tokens: 2,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 3,
    },
    metadata: {},
  });
});

test('what was asked for is echoed', () => {
  const request = {
    instructions: 'i',
    max_output_tokens: 9,
    max_tool_calls: 2,
    parallel_tool_calls: false,
    previous_response_id: 'resp_0',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    store: false,
    temperature: 0,
    tool_choice: 'required',
    top_logprobs: 2,
    top_p: 0.5,
    truncation: 'auto',
    user: 'u',
    metadata: { a: 'b' },
    service_tier: 'flex',
  };
  const { value } = write(reply('stop'), {
    ...request,
    reasoning: { effort: 'low' },
    text: { verbosity: 'low' },
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }, { type: 'web_search' }],
  });
  expect(value).toMatchObject({
    ...request,
    reasoning: { effort: 'low', summary: null },
    text: { format: { type: 'text' }, verbosity: 'low' },
    tools: [
      { type: 'function', name: 'f', description: null, parameters: { type: 'object' }, strict: false },
      { type: 'web_search' },
    ],
  });
});

test('every end has its word, and what has none is reported', () => {
  const ends = (reason: FinishReason) => {
    const { value, losses } = write(reply(reason));
    const details = value['incomplete_details'] as Tree | null;
    return [value['status'], details?.['reason'], losses.length];
  };
  expect(ends('stop')).toEqual(['completed', undefined, 0]);
  expect(ends('tool-calls')).toEqual(['completed', undefined, 0]);
  // Said by its part a refusal is a completed reply; said by the finish alone, only the filter's word shows it.
  expect(ends('refusal')).toEqual(['incomplete', 'content_filter', 0]);
  const parts = [{ type: 'refusal', text: 'No.' } as const];
  const refused = reply('refusal', { candidates: [{ parts, finish: { reason: 'refusal' } }] });
  expect(write(refused).value['status']).toBe('completed');
  expect(ends('length')).toEqual(['incomplete', 'max_output_tokens', 0]);
  expect(ends('content-filter')).toEqual(['incomplete', 'content_filter', 0]);
  for (const reason of ['stop-sequence', 'pause', 'malformed-call', 'other'] as const) {
    expect(ends(reason)).toEqual(['completed', undefined, 1]);
  }
});

test('ids are unique, tiers are words of the format, unknown usage is left out', () => {
  const parts = [{ type: 'text', text: 'a' } as const, { type: 'refusal', text: 'b' } as const];
  const { value } = write(
    reply('stop', { id: '', candidates: [{ parts, finish: { reason: 'stop' } }], usage: unknownUsage }),
  );
  const ids = (value['output'] as Tree[]).map((item) => item['id']);
  expect(new Set(ids).size).toBe(2);
  expect(value['id']).toMatch(/^resp_\d+$/);
  expect('usage' in value).toBe(false);
  expect(write(reply('stop', { serviceTier: 'priority' })).value['service_tier']).toBe('priority');
  expect(write(reply('stop', { serviceTier: 'batch' })).losses).toMatchObject([{ what: 'service_tier' }]);
});
