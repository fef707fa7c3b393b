/** Reads changes of settings for a session or for one response: all of them apply, or none. */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { findVoice } from '../../speech/voices.ts';
import { type AudioFormat, audioFormats, rateOf } from './audio-format.ts';
import {
  flagIn,
  isAbsent,
  listIn,
  numberIn,
  objectIn,
  oneOf,
  refuseOthers,
  textIn,
  wholeIn,
} from './checked-fields.ts';
import { invalid, missing } from './faults.ts';
import {
  eagernessLevels,
  type SessionSettings,
  serverDetection,
  silenceMsByEagerness,
  type TurnDetection,
} from './settings.ts';

const toolsMax = 128;
const outputTokensMax = 4_096;
const speedRange = [0.25, 1.5] as const;

type Change = (settings: SessionSettings, value: unknown, param: string) => SessionSettings;

/** Settings of both sessions and single responses. */
const answering: Readonly<Record<string, Change>> = {
  instructions: (settings, value, param) => ({ ...settings, instructions: textIn(value, param) }),
  output_modalities: (settings, value, param) => ({ ...settings, modality: readModality(value, param) }),
  tools: (settings, value, param) => ({ ...settings, tools: listIn(value, param, toolsMax).map(readTool(param)) }),
  tool_choice: (settings, value, param) => ({ ...settings, toolChoice: readToolChoice(value, param) }),
  parallel_tool_calls: (settings, value, param) => ({ ...settings, parallelToolCalls: flagIn(value, param) }),
  max_output_tokens: (settings, value, param) => ({
    ...settings,
    outputTokensMax: value === 'inf' ? undefined : wholeIn(value, param, [1, outputTokensMax]),
  }),
  reasoning: echoed('reasoning'),
  prompt: (_settings, _value, param) => {
    throw invalid(param, 'the sandbox keeps no prompts. Send `instructions`.');
  },
};

const audioInput: Readonly<Record<string, Change>> = {
  format: (settings, value, param) => withInput(settings, { format: readFormat(value, param) }),
  transcription: (settings, value, param) => withInput(settings, { transcription: objectIn(value, param) }),
  noise_reduction: (settings, value, param) => withInput(settings, { noiseReduction: objectIn(value, param) }),
  turn_detection: (settings, value, param) => withInput(settings, { turnDetection: readDetection(value, param) }),
};

/** Settings that null switches off. Elsewhere null is ignored. */
const switchedOff: Readonly<Record<string, Change>> = {
  transcription: (settings) => withInput(settings, { transcription: undefined }),
  noise_reduction: (settings) => withInput(settings, { noiseReduction: undefined }),
  turn_detection: (settings) => withInput(settings, { turnDetection: undefined }),
  tracing: (settings) => ({ ...settings, echoed: { ...settings.echoed, tracing: null } }),
};

const spoken: Readonly<Record<string, Change>> = {
  format: (settings, value, param) => withOutput(settings, { format: readFormat(value, param) }),
  voice: (settings, value, param) => withOutput(settings, { voice: readVoice(value, param) }),
};

const audioOfResponse: Change = (settings, value, param) =>
  readTree(settings, value, param, { output: within(spoken) });

const audioOfSession: Change = (settings, value, param) =>
  readTree(settings, value, param, {
    input: within(audioInput),
    output: within({
      ...spoken,
      speed: (current, speed, at) => withOutput(current, { speed: numberIn(speed, at, speedRange) }),
    }),
  });

const ofSession: Readonly<Record<string, Change>> = {
  ...answering,
  audio: audioOfSession,
  tracing: echoed('tracing'),
  truncation: echoed('truncation'),
  include: echoed('include'),
};

const ofTranscription: Readonly<Record<string, Change>> = {
  audio: (settings, value, param) => readTree(settings, value, param, { input: within(audioInput) }),
  include: echoed('include'),
};

/** Fields that the URL has set already; they may be repeated. */
const setByUrl = ['type', 'model', 'id', 'object'];

export function updatedSettings(settings: SessionSettings, session: Tree, model: string): SessionSettings {
  const kind = oneOf(session['type'], ['realtime', 'transcription'], 'session.type');
  if (kind !== settings.kind) throw invalid('session.type', `this is a session of the type '${settings.kind}'.`);
  if (!isAbsent(session['model']) && session['model'] !== model) {
    throw invalid('session.model', `the model of a session cannot change; it is '${model}'.`);
  }
  const rest = Object.fromEntries(Object.entries(session).filter(([name]) => !setByUrl.includes(name)));
  return readTree(settings, rest, 'session', kind === 'realtime' ? ofSession : ofTranscription);
}

/** `others` are fields of a response that are not settings. */
export function settingsOfResponse(
  settings: SessionSettings,
  response: Tree,
  others: readonly string[],
): SessionSettings {
  const rest = Object.fromEntries(Object.entries(response).filter(([name]) => !others.includes(name)));
  return readTree(settings, rest, 'response', { ...answering, audio: audioOfResponse });
}

function readTree(
  settings: SessionSettings,
  value: unknown,
  param: string,
  changes: Readonly<Record<string, Change>>,
): SessionSettings {
  const tree = objectIn(value, param);
  refuseOthers(tree, new Set(Object.keys(changes)), param);
  let changed = settings;
  for (const [name, change] of Object.entries(changes)) {
    const given = tree[name];
    if (given === undefined) continue;
    const apply = given === null ? switchedOff[name] : change;
    if (apply !== undefined) changed = apply(changed, given, `${param}.${name}`);
  }
  return changed;
}

function within(changes: Readonly<Record<string, Change>>): Change {
  return (settings, value, param) => readTree(settings, value, param, changes);
}

function echoed(name: string): Change {
  return (settings, value) => ({ ...settings, echoed: { ...settings.echoed, [name]: value } });
}

function withInput(settings: SessionSettings, changed: Partial<SessionSettings['input']>): SessionSettings {
  return { ...settings, input: { ...settings.input, ...changed } };
}

function withOutput(settings: SessionSettings, changed: Partial<SessionSettings['output']>): SessionSettings {
  return { ...settings, output: { ...settings.output, ...changed } };
}

/** Audio includes its transcript, so only one modality is allowed. */
function readModality(value: unknown, param: string): 'text' | 'audio' {
  const [first, ...others] = listIn(value, param, 2);
  if (others.length > 0) throw invalid(param, "expected ['text'] or ['audio'].");
  return oneOf(first, ['text', 'audio'], param);
}

function readTool(param: string): (value: unknown, index: number) => Tree {
  return (value, index) => {
    const at = `${param}[${index}]`;
    const tool = objectIn(value, at);
    if (tool['type'] === 'mcp') throw invalid(`${at}.type`, 'the sandbox reaches no other servers.');
    oneOf(tool['type'], ['function'], `${at}.type`);
    textIn(tool['name'], `${at}.name`);
    if (!isAbsent(tool['parameters'])) objectIn(tool['parameters'], `${at}.parameters`);
    return tool;
  };
}

function readToolChoice(value: unknown, param: string): string | Tree {
  if (!isObject(value)) return oneOf(value, ['auto', 'none', 'required'], param);
  oneOf(value['type'], ['function'], `${param}.type`);
  textIn(value['name'], `${param}.name`);
  return value;
}

function readFormat(value: unknown, param: string): AudioFormat {
  const format = objectIn(value, param);
  const type = oneOf(format['type'], audioFormats, `${param}.type`);
  const rate = rateOf(type);
  if (!isAbsent(format['rate']) && format['rate'] !== rate) throw invalid(`${param}.rate`, `expected ${rate}.`);
  return type;
}

function readVoice(value: unknown, param: string): string | Tree {
  const name = voiceName(isObject(value) ? value : textIn(value, param));
  if (name === undefined) throw missing(`${param}.id`);
  try {
    findVoice(name);
  } catch (error) {
    if (error instanceof GatewayError) throw invalid(param, error.message);
    throw error;
  }
  return isObject(value) ? value : name;
}

export function voiceName(voice: string | Tree): string | undefined {
  if (typeof voice === 'string') return voice;
  return typeof voice['id'] === 'string' ? voice['id'] : undefined;
}

function readDetection(value: unknown, param: string): TurnDetection {
  const request = objectIn(value, param);
  const kind = oneOf(request['type'], ['server_vad', 'semantic_vad'], `${param}.type`);
  const given = <Value>(name: string, read: (value: unknown, param: string) => Value, otherwise: Value): Value =>
    isAbsent(request[name]) ? otherwise : read(request[name], `${param}.${name}`);
  const answers = {
    createResponse: given('create_response', flagIn, true),
    interruptResponse: given('interrupt_response', flagIn, true),
  };
  if (kind === 'semantic_vad') {
    refuseOthers(request, new Set(['type', 'eagerness', 'create_response', 'interrupt_response']), param);
    const eagerness = given('eagerness', (word, at) => oneOf(word, eagernessLevels, at), 'auto');
    return { ...serverDetection, ...answers, kind, eagerness, silenceMs: silenceMsByEagerness[eagerness] };
  }
  refuseOthers(request, serverFields, param);
  if (!isAbsent(request['idle_timeout_ms']))
    throw invalid(`${param}.idle_timeout_ms`, 'the sandbox never speaks first.');
  const { threshold, prefixPaddingMs, silenceMs } = serverDetection;
  return {
    kind,
    threshold: given('threshold', (number, at) => numberIn(number, at, [0, 1]), threshold),
    prefixPaddingMs: given('prefix_padding_ms', (ms, at) => wholeIn(ms, at, [0, 5_000]), prefixPaddingMs),
    silenceMs: given('silence_duration_ms', (ms, at) => wholeIn(ms, at, [10, 10_000]), silenceMs),
    ...answers,
  };
}

const serverFields: ReadonlySet<string> = new Set([
  'type',
  'threshold',
  'prefix_padding_ms',
  'silence_duration_ms',
  'idle_timeout_ms',
  'create_response',
  'interrupt_response',
]);
