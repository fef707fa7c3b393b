/** The event names of the beta protocol, mapped to the current ones. */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';

export interface EventNames {
  /** A client's event with the current names. */
  read(event: Tree): Tree;
  /** Undefined where the protocol has no such event. */
  write(event: Tree): Tree | undefined;
}

export const currentNames: EventNames = { read: (event) => event, write: (event) => event };

/** The beta's flat settings and their current paths. */
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

export function betaNames(): EventNames {
  // A beta field without effect.
  let temperature: unknown = firstTemperature;
  const readSettings = (settings: Tree): Tree => {
    if (settings['temperature'] !== undefined) temperature = settings['temperature'];
    return toCurrentSettings(settings);
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
        ...(isObject(response) && { response: toCurrentResponse(readSettings(response)) }),
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
    ...(isObject(session) && { session: toBetaSession(session, temperature) }),
    ...(isObject(response) && { response: toBetaResponse(response, temperature) }),
    ...(isObject(item) && { item: withContent(item, contentNames, 1) }),
    ...(isObject(error) && { error: { ...error, param: toBetaParam(error['param']) } }),
  };
}

function betaType(type: string, session: unknown): string {
  if (type === 'conversation.item.added') return 'conversation.item.created';
  if (isObject(session) && session['type'] === 'transcription') return `transcription_${type}`;
  for (const [beta, today] of eventPrefixes) if (type.startsWith(today)) return beta + type.slice(today.length);
  return type;
}

function toCurrentSettings(settings: Tree): Tree {
  let today: Tree = {};
  for (const [name, value] of Object.entries(settings)) {
    if (name === 'temperature') continue;
    const path = settingPaths.get(name) ?? [name];
    today = put(today, path, toCurrentValue(name, value));
  }
  return today;
}

/** The input of a response consists of items. */
function toCurrentResponse(response: Tree): Tree {
  const { input } = response;
  if (!Array.isArray(input)) return response;
  return { ...response, input: input.map((item) => (isObject(item) ? withContent(item, contentNames, 0) : item)) };
}

function toCurrentValue(name: string, value: unknown): unknown {
  // The beta lists both modalities for audio with its transcript.
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

function toBetaValue(name: string, value: unknown): unknown {
  if (name === 'modalities' && Array.isArray(value)) return value.includes('audio') ? ['audio', 'text'] : value;
  if (!name.endsWith('_audio_format') || !isObject(value)) return value;
  return formatNames.find(([, today]) => today === value['type'])?.[0] ?? null;
}

/** Flat, without fields that only the current protocol has. */
function flattened(tree: Tree, names: readonly string[]): Tree {
  const { type: _type, audio: _audio, output_modalities: _modalities, ...rest } = tree;
  const flat: Record<string, unknown> = rest;
  for (const name of names) {
    const value = at(tree, settingPaths.get(name) ?? []);
    if (value !== undefined) flat[name] = toBetaValue(name, value);
  }
  return flat;
}

function toBetaSession(session: Tree, temperature: unknown): Tree {
  const { max_output_tokens: _max, truncation: _truncation, ...flat } = flattened(session, [...settingPaths.keys()]);
  return session['type'] === 'transcription' ? flat : { ...flat, temperature };
}

function toBetaResponse(response: Tree, temperature: unknown): Tree {
  const flat = flattened(response, ['modalities', 'voice', 'output_audio_format']);
  const output = Array.isArray(flat['output']) ? flat['output'] : [];
  return { ...flat, output: output.map((item: Tree) => withContent(item, contentNames, 1)), temperature };
}

/** The content of an item with its types renamed: `from` 0 to the current names, 1 to the beta's. */
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

function toBetaParam(param: unknown): unknown {
  if (typeof param !== 'string') return param;
  for (const [name, path] of settingPaths) {
    for (const owner of ['session', 'response']) {
      const today = [owner, ...path].join('.');
      if (param === today || param.startsWith(`${today}.`)) return `${owner}.${name}${param.slice(today.length)}`;
    }
  }
  return param;
}
