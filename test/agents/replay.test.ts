/**
 * The first requests of real agents, as they were recorded: the sandbox answers each of them once, without an
 * unrequested tool call.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { formats } from '../../src/formats/all.ts';
import type { Format, FormatName } from '../../src/formats/format.ts';
import { snippets } from '../../src/snippets/snippets.ts';
import { readStream, readWhole } from '../harness/sandbox.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';
import { agents, libraries, question } from './programs.ts';
import type { RecordedRequest } from './recorder.ts';
import { recordings } from './recordings.ts';

const formatByPath: readonly [RegExp, FormatName][] = [
  [/\/chat\/completions/, 'openai-chat'],
  [/\/responses/, 'openai-responses'],
  [/\/messages/, 'anthropic-messages'],
  [/:\w*generateContent/i, 'gemini-generate'],
];

function formatOf(path: string): Format {
  const name = formatByPath.find(([pattern]) => pattern.test(path))?.[1];
  if (name === undefined) throw new Error(`${path} belongs to no format`);
  return formats[name];
}

let weir: RunningWeir;
beforeAll(async () => {
  weir = await startWeir({ holders: 'two' });
});
afterAll(() => weir?.remove());

async function ask({ path, body }: RecordedRequest) {
  const response = await fetch(weir.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${weir.token}` },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
  const format = formatOf(path);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return isStream
    ? readStream(format, 'sandbox-chat', text).reply
    : readWhole(format, 'sandbox-chat', JSON.parse(text));
}

const holdsQuestion = ({ body }: RecordedRequest) => JSON.stringify(body).includes(question);

test('every snippet is run, but one of a server; every agent has a recording of the version that is run', () => {
  const run = [...libraries, ...agents].map(({ id }) => id);
  expect(run.sort()).toEqual(
    snippets
      .map(({ id }) => id)
      .filter((id) => id !== 'open-webui')
      .sort(),
  );
  for (const { id, packages } of agents)
    expect(recordings.filter(({ agent }) => agent === id).map((one) => one.packages)).toEqual([[...packages]]);
});

describe.each(recordings.map((recording) => [recording.agent, recording] as const))('%s', (_, { requests }) => {
  test('asked its question', () => expect(requests.some(holdsQuestion)).toBe(true));

  test.each(
    requests.map((request, index) => [index + 1, request] as const),
  )('request %i is answered once, without a call', async (_number, request) => {
    const { candidates } = await ask(request);
    expect(candidates.map(({ finish }) => finish?.reason)).toEqual(['stop']);
    const parts = candidates.flatMap((candidate) => candidate.parts);
    expect(parts.filter(({ type }) => type === 'tool-call')).toEqual([]);
    expect(parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).not.toBe('');
  });

  test('the question is answered', async () => {
    const answers = await Promise.all(requests.filter(holdsQuestion).map(ask));
    expect(JSON.stringify(answers)).toContain('6 * 7 = 42');
  });
});

/** Text that would reveal the machine that a recording was made on. */
test('recordings hold no path, name, id or day of where they were made', async () => {
  for (const recording of recordings) {
    const text = JSON.stringify(recording);
    expect(text).not.toMatch(/\/(?:tmp|root|work|usr|var)\//);
    expect(text).not.toMatch(/20(?:2\d)-\d{2}-\d{2}/);
    expect(text).not.toMatch(/(?!0{16})\b[\da-f]{32}\b/);
  }
});
