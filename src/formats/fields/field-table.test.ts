/** What the tables of fields know: a field that is in none is found at any depth, and no documented one is taken for unknown. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodiesWith, fullRequests } from '../../../test/harness/field-positions.ts';
import { anthropicMessages } from '../anthropic-messages/format.ts';
import type { Format, Tree } from '../format.ts';
import { geminiGenerate } from '../gemini-generate/format.ts';
import { openaiChat } from '../openai-chat/format.ts';
import { openaiCompletions } from '../openai-completions/format.ts';
import { openaiResponses } from '../openai-responses/format.ts';
import { type FieldVisitor, visitFields } from './field-table.ts';
import { hostedToolName } from './hosted-tools.ts';
import { operationFields } from './operation-fields.ts';

const requests: readonly (readonly [Format, Tree])[] = [
  [openaiChat, fullRequests.chat('m')],
  [openaiResponses, fullRequests.responses('m')],
  [anthropicMessages, fullRequests.messages('m')],
  [geminiGenerate, fullRequests.generate()],
  [openaiCompletions, fullRequests.completions('m')],
];

interface Seen {
  readonly kind: 'unknown' | 'routing' | 'model' | 'tool';
  readonly path: string;
  readonly name?: string;
}

/** What a walk meets; everything stays as it is but what `leftOut` names. */
function walk({ fields }: Format, tree: Tree, leftOut?: Seen['kind']): { seen: Seen[]; left: Tree } {
  const seen: Seen[] = [];
  const note = (kind: Seen['kind'], path: () => string, value: unknown, name?: string): unknown => {
    seen.push({ kind, path: path(), ...(name !== undefined && { name }) });
    return kind === leftOut ? undefined : value;
  };
  const visitor: FieldVisitor = {
    unknown: (path, value) => note('unknown', path, value),
    routing: (path, value) => note('routing', path, value),
    model: (path, value) => note('model', path, value),
    tool: (path, { name }, value) => note('tool', path, value, name),
  };
  return { seen, left: visitFields(tree, fields, visitor) };
}

const plainPath = (path: string): string => path.replaceAll(/\[(\d+)\]/g, '.$1');

describe.each(requests.map(([format, body]) => [format.name, format, body] as const))('%s', (_, format, body) => {
  test('has no unknown field in a request with every kind of object', () => {
    expect(walk(format, body).seen.filter(({ kind }) => kind === 'unknown')).toEqual([]);
  });

  test('an unknown field is found in every object', () => {
    const missed = [...bodiesWith(body, 'zz_next_year', 'gpt-5')].filter(([path, tree]) => {
      const { seen } = walk(format, tree);
      // In an entry of a list of tools it is a tool that is not known yet, in formats whose tools are members.
      return !seen.some(
        ({ kind, path: at }) => path.startsWith(plainPath(at)) && (kind === 'unknown' || kind === 'tool'),
      );
    });
    expect(missed.map(([path]) => path)).toEqual([]);
  });

  test('an object where the format has a text is unknown', () => {
    const { seen } = walk(format, { ...body, user: { model: 'gpt-5' }, stop: [{ model: 'gpt-5' }] });
    expect(seen.filter(({ kind }) => kind === 'unknown').map(({ path }) => path)).toEqual(['user', 'stop']);
  });

  test('the same tree comes back where nothing is left out, and it alone is left out where something is', () => {
    expect(walk(format, body).left).toBe(body);
    const { left } = walk(format, { ...body, zz: 'x' }, 'unknown');
    expect(left).toEqual(body);
  });
});

test('fields that choose what serves a request, and models named beside it', () => {
  const kinds = (format: Format, tree: Tree) => walk(format, tree).seen.map(({ kind, path }) => `${kind} ${path}`);
  const body = fullRequests.completions('m');
  for (const name of ['models', 'route', 'preset', 'fallbacks']) {
    expect(kinds(openaiChat, { model: 'm', messages: [], [name]: ['x'] })).toEqual([`routing ${name}`]);
    expect(kinds(anthropicMessages, { model: 'm', messages: [], [name]: ['x'] })).toEqual([`routing ${name}`]);
  }
  expect(kinds(openaiChat, { provider: { order: ['a'], data_collection: 'deny' } })).toEqual([
    'routing provider.order',
  ]);
  expect(kinds(openaiResponses, { ...body, prompt: undefined, moderation: { model: 'x' } })).toEqual([
    'model moderation.model',
  ]);
  const adviser = { type: 'advisor_20260301', name: 'advisor', model: 'x' };
  expect(kinds(anthropicMessages, { tools: [adviser] })).toEqual(['tool tools[0]', 'model tools[0].model']);
  expect(kinds(geminiGenerate, { generationConfig: { routingConfig: { autoMode: {} } } })).toEqual([
    'routing generationConfig.routingConfig',
  ]);
});

test('tools that are left out take the choice among them along', () => {
  const search = { type: 'web_search', name: 'web_search' };
  const own = { type: 'function', function: { name: 'f' } };
  const left = (tree: Tree) => walk(openaiChat, tree, 'tool').left;
  expect(left({ tools: [search], tool_choice: 'required', parallel_tool_calls: true })).toEqual({});
  expect(left({ tools: [search, own], tool_choice: 'auto' })).toEqual({ tools: [own], tool_choice: 'auto' });
  expect(left({ tools: [search, own], tool_choice: { type: 'web_search' } })).toEqual({ tools: [own] });
  expect(walk(geminiGenerate, { tools: { googleSearch: {} } }, 'tool').left).toEqual({});
  const both = { tools: [{ googleSearch: {}, functionDeclarations: [] }] };
  expect(walk(geminiGenerate, both, 'tool').left).toEqual({ tools: [{ functionDeclarations: [] }] });
});

test('one name for a tool in every format', () => {
  const searches = ['web_search', 'web_search_20250305', 'web_search_preview', 'web_search_preview_2025_03_11'];
  for (const type of [...searches, 'googleSearch', 'google_search', 'vendor:web_search', 'enterpriseWebSearch']) {
    expect(hostedToolName(type)).toBe('web_search');
  }
  expect(hostedToolName('code_execution_20260120')).toBe('code_interpreter');
  expect(hostedToolName('googleMaps')).toBe('google_maps');
  expect(hostedToolName('next-year_20270101')).toBe('next_year');
});

describe('fields of the official libraries', () => {
  const modules = join(import.meta.dir, '../../../node_modules');
  const membersOf = (path: string, start: RegExp): string[] => {
    const text = readFileSync(join(modules, path), 'utf8');
    const from = text.search(start);
    if (from < 0) throw new Error(`${path} has no ${start}`);
    const body = text.slice(from, text.indexOf('\n}', from));
    return [...body.matchAll(/^ {4}(?:readonly )?'?([\w]+)'?\??:/gm)].map(([, name]) => name ?? '');
  };
  /** Of the library itself, and not of the request. */
  const ofLibrary: ReadonlySet<string> = new Set(['httpOptions', 'abortSignal', 'automaticFunctionCalling']);

  const types = [
    [
      openaiChat,
      'openai/resources/chat/completions/completions.d.ts',
      /^export interface ChatCompletionCreateParamsBase/m,
    ],
    [openaiResponses, 'openai/resources/responses/responses.d.ts', /^export interface ResponseCreateParamsBase/m],
    [openaiCompletions, 'openai/resources/completions.d.ts', /^export interface CompletionCreateParamsBase/m],
    [
      anthropicMessages,
      '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts',
      /^export interface MessageCreateParamsBase/m,
    ],
  ] as const;

  test.each(
    types.map(([format, path, start]) => [format.name, format, path, start] as const),
  )('%s', (_, format, path, start) => {
    const members = membersOf(path, start);
    expect(members.length).toBeGreaterThan(10);
    expect(members.filter((name) => !(name in format.fields.table) && !ofLibrary.has(name))).toEqual([]);
    // A name that says what it does is no plain setting.
    const steering = members.filter((name) => /model|fallback|route/.test(name) && name !== 'model');
    expect(
      steering.filter((name) => format.fields.table[name] === 'plain' && name !== 'fallback_credit_token'),
    ).toEqual([]);
  });

  const operations = [
    ['openai/resources/embeddings.d.ts', /^export interface EmbeddingCreateParams /m],
    ['openai/resources/images.d.ts', /^export interface ImageGenerateParamsBase/m],
    ['openai/resources/images.d.ts', /^export interface ImageEditParamsBase/m],
    ['openai/resources/images.d.ts', /^export interface ImageCreateVariationParams/m],
    ['openai/resources/moderations.d.ts', /^export interface ModerationCreateParams/m],
    ['openai/resources/audio/speech.d.ts', /^export interface SpeechCreateParams/m],
    ['openai/resources/audio/transcriptions.d.ts', /^export interface TranscriptionCreateParamsBase/m],
    ['openai/resources/audio/translations.d.ts', /^export interface TranslationCreateParams/m],
    ['openai/resources/videos.d.ts', /^export interface VideoCreateParams/m],
  ] as const;

  test.each(operations)('operations: %s, %p', (path, start) => {
    const members = membersOf(path, start);
    expect(members.length).toBeGreaterThan(1);
    expect(members.filter((name) => !(name in operationFields.table))).toEqual([]);
  });

  test('gemini-generate', () => {
    const { table } = geminiGenerate.fields;
    const config = table['generationConfig'] as Tree;
    const members = membersOf('@google/genai/dist/genai.d.ts', /^export declare interface GenerateContentConfig/m);
    const unknown = members.filter((name) => !(name in table) && !(name in config) && !ofLibrary.has(name));
    expect(unknown).toEqual([]);
  });
});
