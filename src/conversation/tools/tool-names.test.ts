import { expect, test } from 'bun:test';
import type { TextRequest } from '../text-request.ts';
import { withFittingNames, withOriginalName, withOriginalNames } from './tool-names.ts';

const rule = { pattern: /^[a-zA-Z_][a-zA-Z0-9_-]*$/, charactersMax: 12 };

function requestWith(names: readonly string[], called: string): TextRequest {
  return {
    model: 'm',
    stream: false,
    candidates: 1,
    stop: [],
    output: { kind: 'text' },
    tools: names.map((name) => ({ name })),
    toolChoice: { kind: 'tool', name: called },
    messages: [
      { role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: called, arguments: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', name: called, parts: [], failed: false }] },
    ],
  };
}

test('a request whose names fit stays the same object', () => {
  const request = requestWith(['a', 'b-c'], 'a');
  expect(withFittingNames(request, rule).value).toBe(request);
  expect(withFittingNames(request, undefined).value).toBe(request);
});

test('names are altered everywhere alike, stay distinct, and come back in replies', () => {
  const request = requestWith(['files.read', 'files_read', 'files/read', '1st', 'a-very-long-name'], 'files.read');
  const { value, originals } = withFittingNames(request, rule);
  const written = value.tools.map(({ name }) => name);
  expect(new Set(written).size).toBe(5);
  for (const name of written) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,11}$/);
  expect(written[1]).toBe('files_read');
  const [first = ''] = written;
  expect(value.toolChoice).toEqual({ kind: 'tool', name: first });
  expect(value.messages.flatMap(({ parts }) => parts.map((part) => 'name' in part && part.name))).toEqual([
    first,
    first,
  ]);

  const call = { type: 'tool-call', id: 'd', name: first, arguments: '{}' } as const;
  const reply = {
    id: 'r',
    model: 'm',
    createdAtMs: 0,
    candidates: [{ parts: [call], finish: { reason: 'tool-calls' } as const }],
    usage: { input: {}, output: {} },
  };
  expect(withOriginalNames(reply, originals).candidates[0]?.parts).toEqual([{ ...call, name: 'files.read' }]);
  const start = {
    type: 'part-start',
    candidate: 0,
    part: 0,
    opening: { type: 'tool-call', id: 'd', name: first },
  } as const;
  expect(withOriginalName(start, originals)).toEqual({ ...start, opening: { ...start.opening, name: 'files.read' } });
});
