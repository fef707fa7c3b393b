/** The two sets of names for the same events: today's, which are spoken in here, and those of the beta. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';

export interface Dialect {
  /** A client's event under today's names. */
  read(event: Tree): Tree;
  /** Undefined where the dialect has no such event. */
  write(event: Tree): Tree | undefined;
}

export const currentDialect: Dialect = { read: (event) => event, write: (event) => event };

/** The beta's flat settings and where they stand today. */
const settingPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ['modalities', ['output_modalities']],
  ['voice', ['audio', 'output', 'voice']],
  ['speed', ['audio', 'output', 'speed']],
  ['input_audio_format', ['audio', 'input', 'format']],
  ['output_audio_format', ['audio', 'output', 'format']],
  ['input_audio_transcription', ['audio', 'input', 'transcription']],
  ['input_audio_noise_reduction', ['audio', 'input', 'noise_reduction']],
  ['turn_detection', ['audio', 'input', 'turn_detection']],
  ['max_response_output_tokens', ['max_output_tokens']],
]);

const formatNames: readonly (readonly [beta: string, today: string])[] = [
  ['pcm16', 'audio/pcm'],
  ['g711_ulaw', 'audio/pcmu'],
  ['g711_alaw', 'audio/pcma'],
];

const contentNames: readonly (readonly [beta: string, today: string])[] = [
  ['text', 'output_text'],
  ['audio', 'output_audio'],
];

const eventPrefixes: readonly (readonly [beta: string, today: string])[] = [
  ['response.text.', 'response.output_text.'],
  ['response.audio.', 'response.output_audio.'],
  ['response.audio_transcript.', 'response.output_audio_transcript.'],
];

const firstTemperature = 0.8;

export function betaDialect(): Dialect {
  // The beta has it and today's protocol has not; here it changes nothing in either.
  let temperature: unknown = firstTemperature;
  const readSettings = (settings: Tree): Tree => {
    if (settings['temperature'] !== undefined) temperature = settings['temperature'];
    return settingsToday(settings);
  };
  return {
    read(event) {
      const { type, session, response, item } = event;
      const transcribes = type === 'transcription_session.update';
      return {
        ...event,
        ...(transcribes && { type: 'session.update' }),
        ...(isObject(session) && {
          session: { type: transcribes ? 'transcription' : 'realtime', ...readSettings(session) },
        }),
        ...(isObject(response) && { response: responseToday(readSettings(response)) }),
        ...(isObject(item) && { item: withContent(item, contentNames, 0) }),
      };
    },
    write: (event) => betaEvent(event, temperature),
  };
}

function betaEvent(event: Tree, temperature: unknown): Tree | undefined {
  const { type, session, response, item, error } = event;
  if (type === 'conversation.item.done') return undefined;
  return {
    ...event,
    type: betaType(String(type), session),
    ...(isObject(session) && { session: sessionThen(session, temperature) }),
    ...(isObject(response) && { response: responseThen(response, temperature) }),
    ...(isObject(item) && { item: withContent(item, contentNames, 1) }),
    ...(isObject(error) && { error: { ...error, param: paramThen(error['param']) } }),
  };
}

function betaType(type: string, session: unknown): string {
  if (type === 'conversation.item.added') return 'conversation.item.created';
  if (isObject(session) && session['type'] === 'transcription') return `transcription_${type}`;
  for (const [beta, today] of eventPrefixes) if (type.startsWith(today)) return beta + type.slice(today.length);
  return type;
}

function settingsToday(settings: Tree): Tree {
  let today: Tree = {};
  for (const [name, value] of Object.entries(settings)) {
    if (name === 'temperature') continue;
    const path = settingPaths.get(name) ?? [name];
    today = put(today, path, valueToday(name, value));
  }
  return today;
}

/** The input of a response are items too. */
function responseToday(response: Tree): Tree {
  const { input } = response;
  if (!Array.isArray(input)) return response;
  return { ...response, input: input.map((item) => (isObject(item) ? withContent(item, contentNames, 0) : item)) };
}

function valueToday(name: string, value: unknown): unknown {
  // Speech always brought its words along, and was asked for by both names.
  if (name === 'modalities' && Array.isArray(value)) return value.includes('audio') ? ['audio'] : value;
  if (!name.endsWith('_audio_format') || typeof value !== 'string') return value;
  return { type: formatNames.find(([beta]) => beta === value)?.[1] ?? value };
}

function put(tree: Tree, [name = '', ...rest]: readonly string[], value: unknown): Tree {
  if (rest.length === 0) return { ...tree, [name]: value };
  const inner = tree[name];
  return { ...tree, [name]: put(isObject(inner) ? inner : {}, rest, value) };
}

function at(tree: Tree, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), tree);
}

function valueThen(name: string, value: unknown): unknown {
  if (name === 'modalities' && Array.isArray(value)) return value.includes('audio') ? ['audio', 'text'] : value;
  if (!name.endsWith('_audio_format') || !isObject(value)) return value;
  return formatNames.find(([, today]) => today === value['type'])?.[0] ?? null;
}

/** Flat, and without what only today's protocol says. */
function flattened(tree: Tree, names: readonly string[]): Tree {
  const { type: _type, audio: _audio, output_modalities: _modalities, ...rest } = tree;
  const flat: Record<string, unknown> = rest;
  for (const name of names) {
    const value = at(tree, settingPaths.get(name) ?? []);
    if (value !== undefined) flat[name] = valueThen(name, value);
  }
  return flat;
}

function sessionThen(session: Tree, temperature: unknown): Tree {
  const { max_output_tokens: _max, truncation: _truncation, ...flat } = flattened(session, [...settingPaths.keys()]);
  return session['type'] === 'transcription' ? flat : { ...flat, temperature };
}

function responseThen(response: Tree, temperature: unknown): Tree {
  const flat = flattened(response, ['modalities', 'voice', 'output_audio_format']);
  const output = Array.isArray(flat['output']) ? flat['output'] : [];
  return { ...flat, output: output.map((item: Tree) => withContent(item, contentNames, 1)), temperature };
}

/** The content of an item with its types under the other names, `from` 0 for those of today, 1 for the beta's. */
function withContent(item: Tree, names: readonly (readonly [string, string])[], from: 0 | 1): Tree {
  const { content } = item;
  if (!Array.isArray(content)) return item;
  const renamed = content.map((part: unknown) => {
    if (!isObject(part)) return part;
    const found = names.find((pair) => pair[from] === part['type']);
    return found === undefined ? part : { ...part, type: found[from === 0 ? 1 : 0] };
  });
  return { ...item, content: renamed };
}

function paramThen(param: unknown): unknown {
  if (typeof param !== 'string') return param;
  for (const [name, path] of settingPaths) {
    for (const owner of ['session', 'response']) {
      const today = [owner, ...path].join('.');
      if (param === today || param.startsWith(`${today}.`)) return `${owner}.${name}${param.slice(today.length)}`;
    }
  }
  return param;
}
