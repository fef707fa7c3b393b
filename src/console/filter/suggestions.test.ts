/** Proves that what people write is understood: names that are there, amounts, spans and ids. */

import { describe, expect, test } from 'bun:test';
import { type KnownValues, suggestionsFor } from './suggestions.ts';

const known: KnownValues = {
  status: [{ value: '5', label: 'Failed, 5xx' }],
  model: [
    { value: 'sandbox-chat', label: 'sandbox-chat' },
    { value: 'sandbox-500', label: 'sandbox-500' },
  ],
  provider: [{ value: 'sandbox', label: 'sandbox' }],
  token: [{ value: 'tok_1', label: 'laptop' }],
  label: [{ value: 'team-a', label: 'team-a' }],
  owner: [{ value: 'acc_1', label: 'Olga' }],
  fallback: [{ value: 'true', label: 'served by a fallback' }],
};
const nameOf = (kind: string, label: string) => `${kind} ${label}`;
const found = (text: string, held: Parameters<typeof suggestionsFor>[2] = []) =>
  suggestionsFor(text, known, held, nameOf).map(({ kind, value }) => `${kind}=${value}`);

describe('the filter understands', () => {
  for (const [text, meaning] of [
    ['req_AZqH', 'id=req_AZqH'],
    ['$0.01', 'cost=0.01'],
    ['$ 5', 'cost=5'],
    ['250ms', 'duration=250'],
    ['2s', 'duration=2000'],
    ['1.5 min', 'duration=90000'],
    ['>2s', 'duration=2000'],
    ['> 2 s', 'duration=2000'],
    ['>= 2s', 'duration=2000'],
    ['≥ 250 ms', 'duration=250'],
    ['>2S', 'duration=2000'],
    ['> $0.01', 'cost=0.01'],
  ] as const) {
    test(text, () => expect(found(text)).toEqual([meaning]));
  }

  test('a name in any kind, by parts of it', () => {
    expect(found('chat')[0]).toBe('model=sandbox-chat');
    expect(found('laptop')[0]).toBe('token=tok_1');
    expect(found('team-a')[0]).toBe('label=team-a');
    expect(found('owner olga')[0]).toBe('owner=acc_1');
    expect(found('fallback')[0]).toBe('fallback=true');
    expect(found('model 500')[0]).toBe('model=sandbox-500');
    expect(found('sandbox').slice(0, 3)).toEqual(['model=sandbox-chat', 'model=sandbox-500', 'provider=sandbox']);
  });

  test('a name that it has never seen, as it is written', () => {
    expect(found('other-model')).toEqual([
      'model=other-model',
      'provider=other-model',
      'label=other-model',
      'user=other-model',
      'tag=other-model',
      'code=other-model',
    ]);
  });

  test('nothing yet: everything there is', () => {
    expect(found('')).toEqual([
      'status=5',
      'model=sandbox-chat',
      'model=sandbox-500',
      'provider=sandbox',
      'token=tok_1',
      'label=team-a',
      'owner=acc_1',
      'fallback=true',
    ]);
  });

  test('what holds already is not offered again', () => {
    expect(found('', [{ kind: 'model', value: 'sandbox-chat' }])).not.toContain('model=sandbox-chat');
  });
});
