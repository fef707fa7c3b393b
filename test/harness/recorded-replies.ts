/** Recorded replies of conversations, and what their payloads say by the plainest reading of the JSON. */

import { isObject, type Tree } from '../../src/conversation/json-tree.ts';
import type { FormatName } from '../../src/formats/format.ts';
import { type Frame, formatNames, framesOf } from './journeys.ts';
import { recordedFiles } from './recordings.ts';

export interface Recording {
  readonly name: string;
  readonly format: FormatName;
  /** The payloads of a stream, or the one of a whole reply. */
  readonly payloads: readonly string[];
  readonly streamed: boolean;
}

/** Errors are no replies, and the live socket has another protocol. */
const otherThings = /error\.json$|error\.1\.json$|-live-/;

export function recordings(): Recording[] {
  return formatNames.flatMap((format) =>
    recordedFiles(format === 'cohere-chat' ? 'cohere' : format)
      .filter(({ name }) => /\.(json|chunks\.txt|sse)$/.test(name) && !otherThings.test(name))
      .flatMap((file) => readRecording(format, `${format}/${file.name}`, file.text())),
  );
}

function readRecording(format: FormatName, name: string, content: string): Recording[] {
  if (name.endsWith('.json')) return [{ name, format, payloads: [content], streamed: false }];
  if (name.endsWith('.sse')) {
    return [{ name, format, payloads: framesOf(content).map(({ data }) => data), streamed: true }];
  }
  const lines = content.split('\n').filter(Boolean).map(repaired);
  return streamsIn(format, lines).map((payloads, index) => ({
    name: index === 0 ? name : `${name} (${index + 1})`,
    format,
    payloads,
    streamed: true,
  }));
}

/** One recording lacks the last brace of two of its lines. */
function repaired(line: string): string {
  if (line === '[DONE]') return line;
  try {
    JSON.parse(line);
    return line;
  } catch {
    return `${line}}`;
  }
}

/** Some recordings hold several streams one after the other. */
function streamsIn(format: FormatName, lines: readonly string[]): string[][] {
  if (format !== 'openai-responses') return [[...lines]];
  const streams: string[][] = [];
  for (const line of lines) {
    if (line.includes('"response.created"')) streams.push([]);
    streams.at(-1)?.push(line);
  }
  return streams;
}

/** The bytes as a provider of the format sends them. */
export function bytesOf({ format, payloads }: Recording): string {
  const named = format === 'anthropic-messages' || format === 'openai-responses' || format === 'cohere-chat';
  const frames = payloads.map((data) => {
    const type = named ? (JSON.parse(data) as Tree)['type'] : undefined;
    return `${type === undefined ? '' : `event: ${String(type)}\n`}data: ${data}\n\n`;
  });
  const marked = format === 'openai-chat' || format === 'openai-completions';
  return frames.join('') + (marked && payloads.at(-1) !== '[DONE]' ? 'data: [DONE]\n\n' : '');
}

export function framesIn(recording: Recording): Frame[] {
  return framesOf(bytesOf(recording));
}

export interface Said {
  readonly text: string;
  /** Name and arguments, the arguments as a value. */
  readonly calls: readonly (readonly [string, unknown])[];
  readonly input: number | undefined;
  readonly output: number | undefined;
  /** The provider's own value. */
  readonly finish: string | undefined;
}

export function saidBy({ format, payloads, streamed }: Recording): Said {
  const trees = payloads.filter((payload) => payload !== '[DONE]').map((payload) => JSON.parse(payload) as Tree);
  return extractors[format](trees, streamed);
}

const list = (value: unknown): Tree[] => (Array.isArray(value) ? value.filter(isObject) : []);
const tree = (value: unknown): Tree => (isObject(value) ? value : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const word = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Arguments as a value; a text that is none, since its stream broke off, stays a text. */
export function value(json: string): unknown {
  try {
    return json === '' ? {} : JSON.parse(json);
  } catch {
    return json;
  }
}

/** Calls come whole, or open with a name and continue in pieces that name the place where they belong. */
function generatedCalls(pieces: readonly Tree[]): (readonly [string, unknown])[] {
  const calls: (readonly [string, Record<string, unknown>])[] = [];
  for (const piece of pieces) {
    if (word(piece['name']) !== undefined) calls.push([text(piece['name']), { ...tree(piece['args']) }]);
    const args = calls.at(-1)?.[1] ?? {};
    for (const partial of list(piece['partialArgs'])) {
      const place = text(partial['jsonPath']).replace(/^\$\./, '');
      args[place] = text(args[place]) + text(partial['stringValue']);
    }
  }
  return calls;
}

const extractors: Readonly<Record<FormatName, (trees: readonly Tree[], streamed: boolean) => Said>> = {
  'openai-chat': chatSaid,
  'openai-completions': (trees) => {
    const choices = trees.flatMap((one) => list(one['choices']));
    return {
      text: choices.map((choice) => text(choice['text'])).join(''),
      calls: [],
      ...chatUsage(trees),
      finish: choices.map((choice) => word(choice['finish_reason'])).findLast((one) => one !== undefined),
    };
  },
  'openai-responses': (trees, streamed) => {
    const response = streamed ? tree(trees.at(-1)?.['response']) : tree(trees[0]);
    const shown = trees.filter((one) => one['type'] === 'response.output_item.done').map((one) => tree(one['item']));
    const output = list(response['output']).length > 0 ? list(response['output']) : shown;
    const usage = tree(response['usage']);
    const content = output.flatMap((item) => (item['type'] === 'message' ? list(item['content']) : []));
    const details = tree(response['incomplete_details']);
    return {
      text: content.map((part) => (part['type'] === 'output_text' ? text(part['text']) : '')).join(''),
      calls: output
        .filter((item) => item['type'] === 'function_call' || item['type'] === 'custom_tool_call')
        .map((item) => [text(item['name']), value(text(item['arguments'] ?? item['input']))] as const),
      input: count(usage['input_tokens']),
      output: count(usage['output_tokens']),
      finish: word(details['reason']) ?? word(response['status']),
    };
  },
  'anthropic-messages': messagesSaid,
  'cohere-chat': cohereSaid,
  'gemini-generate': (trees) => {
    const candidates = trees.flatMap((one) => list(one['candidates']).slice(0, 1));
    const parts = candidates.flatMap((candidate) => list(tree(candidate['content'])['parts']));
    const usage = tree(trees.findLast((one) => isObject(one['usageMetadata']))?.['usageMetadata']);
    const calls = parts.flatMap((part) => (isObject(part['functionCall']) ? [part['functionCall']] : []));
    const answer = count(usage['candidatesTokenCount']);
    const thoughts = count(usage['thoughtsTokenCount']);
    return {
      text: parts.map((part) => (part['thought'] === true ? '' : text(part['text']))).join(''),
      calls: generatedCalls(calls),
      input: count(usage['promptTokenCount']),
      output: answer === undefined && thoughts === undefined ? undefined : (answer ?? 0) + (thoughts ?? 0),
      finish: candidates.map((candidate) => word(candidate['finishReason'])).findLast((one) => one !== undefined),
    };
  },
};

/** A stream holds in each event what a whole reply holds in lists. */
function cohereSaid(trees: readonly Tree[]): Said {
  const deltas = trees.map((one) => tree(one['delta']));
  const messages = [...trees, ...deltas].map((one) => tree(one['message']));
  const pieces = (value: unknown): Tree[] => (Array.isArray(value) ? list(value) : isObject(value) ? [value] : []);
  const calls: { name: string; json: string }[] = [];
  for (const call of messages.flatMap((message) => pieces(message['tool_calls']))) {
    const called = tree(call['function']);
    if (word(called['name']) !== undefined) calls.push({ name: text(called['name']), json: '' });
    const open = calls.at(-1);
    if (open !== undefined) open.json += text(called['arguments']);
  }
  const usage = tree(tree([...trees, ...deltas].findLast((one) => isObject(one['usage']))?.['usage'])['billed_units']);
  const said = (message: Tree): string =>
    pieces(message['content'])
      .map((part) => text(part['text']))
      .join('');
  return {
    text: messages.map((message) => said(message) + text(message['tool_plan'])).join(''),
    calls: calls.map(({ name, json }) => [name, value(json)] as const),
    input: count(usage['input_tokens']),
    output: count(usage['output_tokens']),
    finish: [...trees, ...deltas].map((one) => word(one['finish_reason'])).findLast((one) => one !== undefined),
  };
}

function chatUsage(trees: readonly Tree[]): Pick<Said, 'input' | 'output'> {
  const reports = trees.map((one) => (isObject(one['usage']) ? one['usage'] : tree(tree(one['x_groq'])['usage'])));
  const usage = tree(reports.findLast((one) => count(one['prompt_tokens']) !== undefined));
  const input = count(usage['prompt_tokens']);
  const completion = count(usage['completion_tokens']);
  const thinking = count(tree(usage['completion_tokens_details'])['reasoning_tokens']) ?? 0;
  const beside =
    input !== undefined && completion !== undefined && usage['total_tokens'] === input + completion + thinking;
  return { input, output: completion === undefined ? undefined : completion + (beside ? thinking : 0) };
}

function chatSaid(trees: readonly Tree[]): Said {
  const choices = trees.flatMap((one) => list(one['choices']).filter((choice) => (choice['index'] ?? 0) === 0));
  const messages = choices.map((choice) => tree(choice['delta'] ?? choice['message']));
  const calls = new Map<unknown, { name: string; json: string }>();
  for (const call of messages.flatMap((message) => list(message['tool_calls']))) {
    const target = tree(call['function']);
    const key = call['index'] ?? call['id'] ?? calls.size;
    const known = calls.get(key) ?? { name: '', json: '' };
    const json =
      typeof target['arguments'] === 'string' ? target['arguments'] : JSON.stringify(target['arguments'] ?? '');
    calls.set(key, { name: known.name || text(target['name']), json: known.json + json });
  }
  const written = messages.map(({ content }) =>
    typeof content === 'string'
      ? content
      : list(content)
          .map((part) => (part['type'] === 'text' ? text(part['text']) : ''))
          .join(''),
  );
  return {
    text: written.join(''),
    calls: [...calls.values()].map(({ name, json }) => [name, value(json)] as const),
    ...chatUsage(trees),
    finish: choices.map((choice) => word(choice['finish_reason'])).findLast((one) => one !== undefined),
  };
}

function messagesSaid(trees: readonly Tree[], streamed: boolean): Said {
  if (!streamed) {
    const [message = {}] = trees;
    const content = list(message['content']);
    return {
      text: content.map((block) => (block['type'] === 'text' ? text(block['text']) : '')).join(''),
      calls: content
        .filter((block) => block['type'] === 'tool_use')
        .map((block) => [text(block['name']), block['input']] as const),
      ...messagesUsage([tree(message['usage'])]),
      finish: word(message['stop_reason']),
    };
  }
  // Two streams may be spliced into one: the numbers then begin again, and earlier text is kept.
  const all: { name: string; json: string; input: unknown }[] = [];
  const calls = new Map<unknown, { name: string; json: string; input: unknown }>();
  for (const event of trees) {
    if (event['type'] === 'content_block_start') calls.delete(event['index']);
    const block = tree(event['content_block']);
    if (block['type'] === 'tool_use') {
      const opened = { name: text(block['name']), json: '', input: block['input'] };
      all.push(opened);
      calls.set(event['index'], opened);
    }
    const call = calls.get(event['index']);
    if (call !== undefined) call.json += text(tree(event['delta'])['partial_json']);
  }
  const started = trees.map((event) => text(tree(event['content_block'])['text']));
  const grown = trees.map((event) =>
    tree(event['delta'])['type'] === 'text_delta' ? text(tree(event['delta'])['text']) : '',
  );
  return {
    text: started.concat(grown).join(''),
    calls: all.map(({ name, json, input }) => [name, json === '' ? (input ?? {}) : value(json)] as const),
    ...messagesUsage(trees.flatMap((event) => [tree(tree(event['message'])['usage']), tree(event['usage'])])),
    finish: trees.map((event) => word(tree(event['delta'])['stop_reason'])).findLast((one) => one !== undefined),
  };
}

function messagesUsage(reports: readonly Tree[]): Pick<Said, 'input' | 'output'> {
  const most = (name: string): number | undefined => {
    const counts = reports.flatMap((report) => count(report[name]) ?? []);
    return counts.length === 0 ? undefined : Math.max(...counts);
  };
  const fresh = most('input_tokens');
  const cached = (most('cache_read_input_tokens') ?? 0) + (most('cache_creation_input_tokens') ?? 0);
  return { input: fresh === undefined ? undefined : fresh + cached, output: most('output_tokens') };
}
