import { describe, expect, test } from 'bun:test';
import type { ModelProfile } from '../../conversation/model-profile.ts';
import { formats } from '../../formats/all.ts';
import type { FormatName } from '../../formats/format.ts';
import { Slices } from '../../http/json/in-slices.ts';
import type { Target } from '../../routing/catalogue.ts';
import { Health } from '../../routing/health.ts';
import { chooseLane, hasTools } from './choose-lane.ts';
import { formatFor } from './format-for.ts';

function target(formats: readonly FormatName[], profile: ModelProfile = {}): Target {
  return { formats, profile, health: new Health() } as unknown as Target;
}

describe('the format that a target is spoken to in', () => {
  test('is the client’s own where the target speaks it, else its first', () => {
    expect(formatFor('openai-chat', target(['openai-responses', 'openai-chat']))).toBe('openai-chat');
    expect(formatFor('gemini-generate', target(['openai-responses', 'openai-chat']))).toBe('openai-responses');
    expect(formatFor('openai-chat', target(['openai-completions', 'anthropic-messages']))).toBe('anthropic-messages');
    expect(formatFor('openai-chat', target([]))).toBeUndefined();
  });

  test('is the one that takes tools, for a request with tools', () => {
    const model = target(['openai-chat', 'openai-responses'], { toolsFormat: 'openai-responses' });
    expect(formatFor('openai-chat', model, true)).toBe('openai-responses');
    expect(formatFor('openai-chat', model, false)).toBe('openai-chat');
    expect(formatFor('anthropic-messages', model, true)).toBe('openai-responses');
  });

  test('a format for tools that the provider does not speak is no format', () => {
    const model = target(['openai-chat'], { toolsFormat: 'openai-responses' });
    expect(formatFor('openai-chat', model, true)).toBe('openai-chat');
  });
});

test('tools are declared by a list with members, also by its older name', () => {
  expect(hasTools({})).toBe(false);
  expect(hasTools({ tools: [] })).toBe(false);
  expect(hasTools({ tools: null, functions: null })).toBe(false);
  expect(hasTools({ tools: [{}] })).toBe(true);
  expect(hasTools({ functions: [{ name: 'f' }] })).toBe(true);
});

describe('a translated lane', () => {
  const provider = {
    name: 'up',
    quirks: {},
    notes: new Map(),
    addresses: { 'gemini-generate': { whole: 'http://up', stream: 'http://up' } },
  };
  const gemini = { provider, model: 'm', formats: ['gemini-generate'], profile: {}, health: new Health() };
  const tree = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

  async function turnsFor(bytesIn: number): Promise<number> {
    let turns = 0;
    const slices = new Slices({
      nowMs: () => 0,
      nextTurn(work) {
        turns += 1;
        queueMicrotask(work);
      },
    });
    const sealMemo = { hasSealed: () => false, fetch: () => undefined, find: () => undefined };
    const parts = { slices, formats, sealMemo, routing: { cacheMarks: 'auto' }, outputTokensOf: () => undefined };
    const facts = { model: 'm', stream: false };
    const body = { tree, bytes: new Uint8Array(0), fields: new Map() };
    const call = { format: formats['openai-chat'], body, bytesIn, facts, caller: { tokenId: 't' } };
    type Given = Parameters<typeof chooseLane>;
    const given = [parts, call, gemini, undefined] as unknown as Given;
    const lane = await chooseLane(...given);
    expect(lane.kind).toBe('translate');
    return turns;
  }

  test('of a large conversation is read, fitted and written in turns of the event loop', async () => {
    expect(await turnsFor(131_072)).toBe(0);
    expect(await turnsFor(131_073)).toBe(4);
  });
});
