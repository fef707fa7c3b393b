/** Proves that an operator's model profile is read, and that every mistake in it is reported with its place. */

import { expect, test } from 'bun:test';
import { operatorProfiles } from '../providers/operator-profiles.ts';
import { readConfigText } from './readers/read-file.ts';

function read(profile: string) {
  const text = `providers: {up: {kind: openai-chat, base_url: 'http://127.0.0.1:1/v1', profiles: {'m*': ${profile}}}}`;
  const { content, problems } = readConfigText(text, 'weir.yaml');
  return {
    entry: content.providers['up']?.profiles?.['m*'],
    problems: problems.map(({ key, allowed, suggestion }) => [key, suggestion ?? allowed]),
  };
}

test('everything that can be said', () => {
  const { entry, problems } = read(`{
    context_tokens: 32768, output_tokens_max: 8192, temperature_max: 1.5, stops_max: 4,
    refuses: [top_k, logprobs, schema_output], refuses_while_thinking: [temperature],
    thinking: {kind: budget, tokens_min: 128, tokens_max: 32768, can_be_off: false, dynamic: true, by_default: on},
    input: [text, image, pdf], output: [text], tools_format: openai-responses,
    later_instructions: refused, developer_role: taken, text_lists: refused, allowed_tools: taken, forced_tools: refused,
    user_id: {characters_min: 6, characters_max: 64, pattern: '^[a-z]+$'}}`);
  expect(problems).toEqual([]);
  expect(operatorProfiles({ 'm*': entry ?? {} })).toEqual([
    {
      pattern: 'm*',
      profile: {
        contextTokens: 32_768,
        outputTokensMax: 8_192,
        temperatureMax: 1.5,
        stopsMax: 4,
        refuses: ['topK', 'logprobs', 'schemaOutput'],
        refusesWhileThinking: ['temperature'],
        thinking: {
          kind: 'budget',
          tokensMin: 128,
          tokensMax: 32_768,
          canBeOff: false,
          dynamic: true,
          byDefault: 'on',
        },
        input: ['text', 'image', 'pdf'],
        output: ['text'],
        toolsFormat: 'openai-responses',
        laterInstructions: 'refused',
        developerRole: 'taken',
        textLists: 'refused',
        allowedTools: 'taken',
        forcedTools: 'refused',
        userId: { charactersMin: 6, charactersMax: 64, pattern: '^[a-z]+$' },
      },
    },
  ]);
});

test.each([
  ['never', { kind: 'never' }],
  ['{kind: switch, by_default: off}', { kind: 'switch', byDefault: 'off' }],
  ['{kind: budget}', { kind: 'budget', tokensMin: 1, canBeOff: true }],
  ['{kind: adaptive, efforts: [low, high]}', { kind: 'adaptive', efforts: ['low', 'high'], canBeOff: true }],
  [
    '{kind: effort, efforts: [none, high], by_default: none}',
    { kind: 'effort', efforts: ['none', 'high'], byDefault: 'none' },
  ],
])('thinking: %s', (text, rule) => {
  const { entry, problems } = read(`{thinking: ${text}}`);
  expect(problems).toEqual([]);
  expect(operatorProfiles({ m: entry ?? {} })[0]?.profile.thinking as object).toEqual(rule);
});

const place = 'providers.up.profiles.m*';

test.each([
  ['{context_token: 5}', `${place}.context_token`, 'context_tokens'],
  ['{context_tokens: 0}', `${place}.context_tokens`, 'a whole number of tokens from 1 to 100000000'],
  ['{refuses: [warmth]}', `${place}.refuses[0]`, /^a list of temperature, top_p, /],
  ['{thinking: sometimes}', `${place}.thinking.kind`, 'one of never, always, switch, budget, adaptive, effort'],
  ['{thinking: {kind: effort}}', `${place}.thinking.efforts`, /^a list of none, minimal, low/],
  ['{thinking: {kind: never, efforts: [low]}}', `${place}.thinking.efforts`, 'of the kind never: nothing beside kind'],
  ['{thinking: {kind: effort, efforts: [low], by_default: high}}', `${place}.thinking.by_default`, /^on or off/],
  ['{thinking: {kind: budget, token_min: 1}}', `${place}.thinking.token_min`, 'tokens_min'],
  ['{developer_role: maybe}', `${place}.developer_role`, 'taken or refused'],
  ["{user_id: {pattern: '('}}", `${place}.user_id.pattern`, 'a regular expression of at most 200 characters'],
  ['{user_id: {character_max: 1}}', `${place}.user_id.character_max`, 'characters_max'],
])('%s is a mistake', (text, key, message) => {
  const [first, ...more] = read(text).problems;
  expect(first?.[0]).toBe(key);
  if (typeof message === 'string') expect(first?.[1]).toBe(message);
  else expect(first?.[1]).toMatch(message);
  expect(more).toEqual([]);
});
