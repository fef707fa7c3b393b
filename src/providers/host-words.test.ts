import { describe, expect, test } from 'bun:test';
import { fitToHost } from './host-words.ts';
import { bedrockWords, vertexWords } from './presets/clouds/claude-hosts.ts';

const beta = (words: string) => ({ 'anthropic-beta': words, 'anthropic-version': '2023-06-01' });
const tool = { name: 'f', input_schema: { type: 'object' } };
const lost = (fitting: ReturnType<typeof fitToHost>) => fitting?.losses.map(({ what }) => what);

describe('the words of a header', () => {
  test('are those that the host takes, under its names', () => {
    const given =
      'claude-code-20250219, advanced-tool-use-2025-11-20,context-1m-2025-08-07,thinking-token-count-2026-05-13';
    const fitting = fitToHost(bedrockWords, {}, beta(given));
    expect(fitting?.headers).toEqual(beta('tool-search-tool-2025-10-19,context-1m-2025-08-07'));
    expect(lost(fitting)).toEqual([
      'anthropic-beta claude-code-20250219',
      'anthropic-beta thinking-token-count-2026-05-13',
    ]);
    expect(fitToHost(bedrockWords, {}, beta(given))).toEqual(fitting as never);
  });

  test('stay where all are taken, and go where none is', () => {
    expect(fitToHost(bedrockWords, { model: 'm' }, beta('context-1m-2025-08-07'))).toBeUndefined();
    expect(fitToHost(vertexWords, {}, undefined)).toBeUndefined();
    expect(fitToHost(vertexWords, {}, beta('effort-2025-11-24'))?.headers).toEqual({
      'anthropic-version': '2023-06-01',
    });
  });
});

describe('fields that go with a word', () => {
  const tree = { context_management: { edits: [] }, tools: [{ ...tool, defer_loading: true }, tool] };

  test('stay beside it', () => {
    const words = beta('context-management-2025-06-27,advanced-tool-use-2025-11-20');
    expect(fitToHost(bedrockWords, tree, words)?.edits.size).toBe(0);
  });

  test('go without it, and are reported', () => {
    const fitting = fitToHost(vertexWords, tree, undefined);
    expect(fitting?.edits).toEqual(
      new Map<string, unknown>([
        ['context_management', undefined],
        ['tools', [tool, tool]],
      ]),
    );
    expect(lost(fitting)).toEqual(['context_management', 'tools defer_loading']);
  });
});

describe('the mark of the whole request', () => {
  const mark = { type: 'ephemeral' };
  const marked = (content: unknown) =>
    fitToHost(bedrockWords, { cache_control: mark, messages: [{ role: 'user', content }] }, undefined);

  test('is on the last block', () => {
    for (const content of ['hi', [{ type: 'text', text: 'hi' }]]) {
      const fitting = marked(content);
      expect(fitting?.edits.get('messages')).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: mark }] },
      ]);
      expect([fitting?.edits.has('cache_control'), fitting?.edits.get('cache_control')]).toEqual([true, undefined]);
      expect(lost(fitting)).toEqual([]);
    }
  });

  test('leaves a block that is marked already', () => {
    expect(
      marked([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ttl: '1h' } }])?.edits.has('messages'),
    ).toBe(false);
  });
});
