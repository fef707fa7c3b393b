import { describe, expect, test } from 'bun:test';
import type { Message, Part } from '../parts.ts';
import { requestDefaults, type TextRequest } from '../text-request.ts';
import { withCacheMarks } from './cache-marks.ts';

const rule = { tokensMin: 100 };
const text = (said: string): Part => ({ type: 'text', text: said });
const say = (role: Message['role'], said: string): Message => ({ role, parts: [text(said)] });
const call: Message = { role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'f', arguments: '{}' }] };
const result: Message = { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', parts: [], failed: false }] };
const long = 'word '.repeat(200);
const ask = (messages: readonly Message[], more: Partial<TextRequest> = {}): TextRequest => ({
  ...requestDefaults,
  model: 'm',
  messages,
  ...more,
});

/** The numbers of the messages that carry a mark. */
const marked = ({ messages }: TextRequest): number[] =>
  messages.flatMap(({ parts }, index) => (parts.some((part) => 'cacheMark' in part) ? [index] : []));

describe('marks', () => {
  test('are set after the instructions and after the user’s last two turns', () => {
    const request = ask(
      [
        say('instruction', long),
        say('instruction', 'more'),
        say('user', 'a'),
        call,
        result,
        say('assistant', 'b'),
        say('user', 'c'),
      ],
      { tools: [{ name: 'f' }] },
    );
    const { messages, tools } = withCacheMarks(request, rule);
    expect(marked({ ...request, messages })).toEqual([1, 4, 6]);
    expect(tools[0]?.cacheMark).toBeUndefined();
  });

  test('are set on the last tool if there are no instructions', () => {
    const tools = [{ name: 'f' }, { name: 'g' }];
    const after = withCacheMarks(ask([say('user', long)], { tools }), rule);
    expect(after.tools.map(({ cacheMark }) => cacheMark)).toEqual([undefined, {}]);
    expect(marked(after)).toEqual([0]);
  });

  test('adjacent turns of the user’s side are one, and the mark is set on text', () => {
    const request = ask([say('user', long), call, result, say('user', ' ')]);
    expect(marked(withCacheMarks(request, rule))).toEqual([0]);
    const words = ask([say('user', long), call, result, say('user', 'continue')]);
    expect(marked(withCacheMarks(words, rule))).toEqual([0, 3]);
  });
});

describe('nothing is marked', () => {
  const tools = [{ name: 'f' }];
  const cases: readonly (readonly [string, TextRequest])[] = [
    [
      'where the caller marked a text',
      ask([{ role: 'user', parts: [{ type: 'text', text: long, cacheMark: {} }] }], { tools }),
    ],
    ['where the caller marked a tool', ask([say('user', long)], { tools: [{ name: 'f', cacheMark: {} }] })],
    ['in a single question without tools', ask([say('instruction', long), say('user', long)])],
    ['in what is too short to be cached', ask([say('user', 'short')], { tools })],
  ];
  for (const [where, request] of cases) test(where, () => expect(withCacheMarks(request, rule)).toBe(request));
});
