/**
 * A provider that refuses what the real models refuse, by rules that were written from public reports and not from Weir's own
 * table of models, so that the two can disagree. What it takes it answers: with calls of a declared tool, then with a text.
 */

import { chatProvider } from '../fake-upstream/wire/chat-reply.ts';
import { generateProvider } from '../fake-upstream/wire/generate-reply.ts';
import { type Said, unique } from '../fake-upstream/wire/issued.ts';
import { messagesProvider } from '../fake-upstream/wire/messages-reply.ts';
import { providerKey, type WireProvider } from '../fake-upstream/wire/provider.ts';
import { responsesProvider } from '../fake-upstream/wire/responses-reply.ts';
import type { Seen } from '../fake-upstream/wire/seen.ts';
import { anthropicRules } from './rules/anthropic-rules.ts';
import { geminiRules } from './rules/gemini-rules.ts';
import {
  deepseekRules,
  moonshotRules,
  needsThinkingBack,
  qwenTemplateRules,
  zhipuRules,
} from './rules/open-server-rules.ts';
import { openaiRules } from './rules/openai-rules.ts';
import { given, type Json, listOf, objectOf, Refusal, type Rules, type WireName } from './rules/refusal.ts';

export const answerText = 'All is done.';
/** In the conversations of agents: so many calls of a tool before the answer. */
export const toolRounds = 4;

const wires: Readonly<Record<WireName, WireProvider>> = {
  chat: chatProvider,
  responses: responsesProvider,
  messages: messagesProvider,
  generate: generateProvider,
};

/** Hosts that pass requests on leave out what a model does not take. */
const takesAll: Rules = () => {};

/** By the kind of provider, as `weir.yaml` names it; each has its own path on the server. */
const vendorRules: Readonly<Record<string, Rules>> = {
  openai: openaiRules,
  anthropic: anthropicRules,
  gemini: geminiRules,
  deepseek: deepseekRules,
  moonshot: moonshotRules,
  vllm: qwenTemplateRules,
  zhipu: zhipuRules,
  'openai-chat': qwenTemplateRules,
  openrouter: takesAll,
  litellm: takesAll,
  vercel: takesAll,
};

export interface Received {
  readonly vendor: string;
  /** Whose path it came by; empty unless `baseOf` was given one. */
  readonly holder: string;
  readonly path: string;
  readonly body: Json;
}

export interface Refused {
  readonly vendor: string;
  readonly holder: string;
  readonly model: string;
  readonly wire: WireName;
  readonly message: string;
}

export interface RefusingProvider {
  readonly refused: readonly Refused[];
  /** How many requests came, the refused ones included. */
  readonly requests: () => number;
  /** Paths of their own tell apart who sends. */
  baseOf(vendor: string, holder?: string): string;
  stop(): Promise<void>;
}

/** `see` is given every request, the refused ones included; `rounds` is how often it calls a tool before it answers. */
export function startRefusingProvider(see: (received: Received) => void = () => {}, rounds = 1): RefusingProvider {
  const refused: Refused[] = [];
  let requests = 0;
  const issued = new Map<string, string>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (request.method === 'GET') return Response.json({ data: [], models: [] });
      requests++;
      const url = new URL(request.url);
      const [, vendor = '', second = ''] = url.pathname.split('/');
      const holder = second.startsWith('v1') ? '' : second;
      const received = { vendor, holder, path: url.pathname, body: objectOf(await request.json()) };
      see(received);
      return answer(received, { refused, issued, rounds });
    },
  });
  return {
    refused,
    requests: () => requests,
    baseOf(vendor, holder = '') {
      const version = vendor === 'gemini' ? 'v1beta' : 'v1';
      return [`http://127.0.0.1:${server.port}`, vendor, holder, version].filter((part) => part !== '').join('/');
    },
    stop: () => server.stop(true),
  };
}

/** The wire of a request, by its path. */
function wireOf(path: string): WireName | undefined {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'messages';
  return /:(stream)?[gG]enerateContent$/.test(path) ? 'generate' : undefined;
}

interface Kept {
  readonly refused: Refused[];
  /** The model of each signature. */
  readonly issued: Map<string, string>;
  readonly rounds: number;
}

function answer({ vendor, holder, path, body }: Received, { refused, issued, rounds }: Kept): Response {
  const wire = wireOf(path);
  const rules = vendorRules[vendor];
  if (wire === undefined || rules === undefined) return new Response('no such path', { status: 404 });
  const named = /\/models\/(.+):/.exec(path)?.[1];
  const model = decodeURIComponent(named ?? String(body.model));
  const { errorBody, whole, frames } = wires[wire];
  try {
    rules(wire, model, body, (seal) => issued.get(seal));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refused.push({ vendor, holder, model, wire, message: error.message });
    const reply = objectOf(errorBody(error.status, error.message));
    const fault = { ...objectOf(reply.error), ...(error.param !== undefined && { param: error.param }) };
    return Response.json({ ...reply, error: fault }, { status: error.status });
  }
  const said = sayTo(wire, model, body, rounds);
  issued.set(said.seal ?? '', model);
  const isStream = wire === 'generate' ? path.includes(':stream') : body.stream === true;
  const seen = seenIn(body);
  const plain = wire === 'chat' && needsThinkingBack(model, body);
  if (!isStream) return Response.json(plain ? withPlainThinking(whole(said, seen, body)) : whole(said, seen, body));
  const events = frames(said, seen, body).join('');
  return new Response(plain ? events.replace(/^data: (\{.*\})$/gm, plainEvent) : events, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

/** A model that wants its thinking back gives it in the one field in which it takes it. */
function withPlainThinking(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainThinking);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      name === 'reasoning_details'
        ? []
        : [[name === 'reasoning' ? 'reasoning_content' : name, withPlainThinking(each)]],
    ),
  );
}

const plainEvent = (_: string, data: string): string => `data: ${JSON.stringify(withPlainThinking(JSON.parse(data)))}`;

function seenIn(body: Json): Seen {
  const wantsUsage = objectOf(body.stream_options).include_usage === true;
  return { showsThoughts: true, wantsSeals: true, wantsUsage } as unknown as Seen;
}

function sayTo(wire: WireName, model: string, body: Json, rounds: number): Said {
  const tool = resultsIn(wire, body) >= rounds ? undefined : firstTool(wire, body);
  const thought = tool !== undefined && thinks(wire, model, body) ? 'A tool will tell.' : undefined;
  return {
    id: unique(''),
    model,
    thought,
    shownThought: thought ?? '',
    seal: Buffer.from(unique('signature ')).toString('base64'),
    pieces: tool === undefined ? [answerText] : [],
    calls:
      tool === undefined ? [] : [{ id: unique(wires[wire].callPrefix), name: tool, arguments: '{"path":"a.txt"}' }],
    refusal: undefined,
  };
}

function resultsIn(wire: WireName, body: Json): number {
  switch (wire) {
    case 'chat':
      return listOf(body.messages).filter((one) => objectOf(one).role === 'tool').length;
    case 'responses':
      return listOf(body.input).filter((one) => String(objectOf(one).type).endsWith('_output')).length;
    case 'messages':
      return partsOf(body.messages, 'content').filter(({ type }) => type === 'tool_result').length;
    case 'generate':
      return partsOf(body.contents, 'parts').filter(({ functionResponse }) => given(functionResponse)).length;
  }
}

function partsOf(turns: unknown, name: string): Json[] {
  return listOf(turns).flatMap((turn) => listOf(objectOf(turn)[name]).map(objectOf));
}

function firstTool(wire: WireName, body: Json): string | undefined {
  const tools = listOf(body.tools).map(objectOf);
  const names = {
    chat: () => tools.map(({ function: called }) => objectOf(called).name),
    responses: () => tools.filter(({ type }) => type === 'function').map(({ name }) => name),
    messages: () => tools.filter(({ type }) => type === undefined || type === 'custom').map(({ name }) => name),
    generate: () =>
      tools.flatMap(({ functionDeclarations }) => listOf(functionDeclarations).map((one) => objectOf(one).name)),
  }[wire]();
  return names.find((name) => typeof name === 'string');
}

function thinks(wire: WireName, model: string, body: Json): boolean {
  switch (wire) {
    case 'chat':
      if (needsThinkingBack(model, body)) return true;
      return given(body.reasoning_effort) && body.reasoning_effort !== 'none';
    case 'responses':
      return given(objectOf(body.reasoning).effort) && objectOf(body.reasoning).effort !== 'none';
    case 'messages':
      return given(body.thinking) && objectOf(body.thinking).type !== 'disabled';
    case 'generate': {
      const { thinkingConfig: config } = objectOf(body.generationConfig);
      // The newest think by default.
      return model.startsWith('gemini-3') || (given(config) && objectOf(config).thinkingBudget !== 0);
    }
  }
}

export { providerKey };
