import { expect, test } from 'bun:test';
import type { Part } from '../../conversation/parts.ts';
import { readSeal } from '../../conversation/seals/seal.ts';
import { isCarried, type SealedThought, withCarriedThoughts, writeThoughts } from './carried-thoughts.ts';

const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };
const thought = (text: string, value: string, more: object = {}): SealedThought => ({
  type: 'thinking',
  text,
  seal: { value, origin },
  ...more,
});
const text: Part = { type: 'text', text: 'said' };
const words = (said: string): Part => ({ type: 'thinking', text: said });
const call = (id: string, ...thoughts: SealedThought[]): Part => {
  const signature = writeThoughts(thoughts);
  const seal = signature === undefined ? {} : { seal: readSeal(signature, 'gemini-generate') };
  return { type: 'tool-call', id, name: 'f', arguments: '{}', ...seal };
};
const [one, two, hidden] = [thought('one', '1'), thought('two', '2'), thought('', '3', { redacted: true })];

test('the first call’s thoughts open the turn, those of a later one are before it', () => {
  expect(withCarriedThoughts([text, call('a', one, hidden), call('b', two)])).toEqual([
    one,
    hidden,
    text,
    call('a'),
    two,
    call('b'),
  ]);
});

test('what the client kept of it is not repeated', () => {
  expect(withCarriedThoughts([text, words('one'), call('a', one)])).toEqual([text, one, call('a')]);
  expect(withCarriedThoughts([words('onetwo'), text, call('a', one, two)])).toEqual([one, two, text, call('a')]);
  expect(withCarriedThoughts([one, text, call('a', one)])).toEqual([one, text, call('a')]);
});

test('a call without them, and a signature that was cut off, change nothing else', () => {
  const parts = [text, call('a')];
  expect(withCarriedThoughts(parts)).toBe(parts);
  const cut: Part = { ...(call('a') as Part & { type: 'tool-call' }), seal: { value: 'thoughts:[["on', origin } };
  expect(withCarriedThoughts([text, cut])).toEqual([text, call('a')]);
  expect(writeThoughts([])).toBeUndefined();
});

test('thoughts of the format’s own providers are not carried', () => {
  expect(
    [one, { ...one, seal: { value: 's', origin: { ...origin, format: 'gemini-generate' } } }, text].map(isCarried),
  ).toEqual([true, false, false]);
});
