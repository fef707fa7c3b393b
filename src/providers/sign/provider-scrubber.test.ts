import { expect, test } from 'bun:test';
import { scriptedProvider } from '../../../test/harness/scripted-targets.ts';
import { noteIssued, scrubberOf } from './provider-scrubber.ts';

const first = 'sk-first-Zk3v9Qp7Lm2x';
const second = 'sk-second-8Hd6Tb1Wc4yR';

test('all keys of a provider and its secret headers are taken out, ordinary headers are not', () => {
  const headers = { 'x-api-key': 'hdr-Nf5Jq0Vs', 'x-title': 'Research team' };
  const provider = { ...scriptedProvider({ name: 'up', keys: [first, second] }), headers };
  const scrub = scrubberOf(provider);
  expect(scrub(`${first}, ${second}, hdr-Nf5Jq0Vs, Research team`)).toBe('[key], [key], [key], Research team');
  expect(scrubberOf(provider)).toBe(scrub);
});

test('a token that is made of a key is secret from then on, also for a while after its successor', () => {
  const provider = scriptedProvider({ name: 'up', keys: [first] });
  const [key] = provider.keys;
  if (key === undefined) return expect.unreachable();
  const tokens = ['access-A1b2C3d4E5', 'access-F6g7H8i9J0'];
  expect(scrubberOf(provider)(`bad ${tokens[0]}`)).toBe(`bad ${tokens[0]}`);
  for (const token of tokens) noteIssued(key, token);
  expect(scrubberOf(provider)(`bad ${tokens.join(' and ')}`)).toBe('bad [key] and [key]');
});
