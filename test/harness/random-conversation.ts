/**
 * Random requests and replies for property tests of everything that reads, writes or repairs a conversation. They hold
 * what the neutral form supports; for a format that does not support all of it, features are left out (`{ without:
 * ['logprobs'] }`) or losses are expected.
 */

import type {
  CacheMark,
  Citation,
  Extras,
  MediaPart,
  Message,
  NativePart,
  Origin,
  Part,
  Seal,
  TextPart,
  ThinkingPart,
  TokenLogprob,
  ToolCallPart,
  ToolResultPart,
} from '../../src/conversation/parts.ts';
import type { Candidate, Finish, TextReply } from '../../src/conversation/text-reply.ts';
import type {
  JsonSchema,
  OutputShape,
  TextRequest,
  Thinking,
  ToolChoice,
  ToolDeclaration,
  WebSearch,
} from '../../src/conversation/text-request.ts';
import type { Usage } from '../../src/conversation/usage.ts';
import { Random } from './random.ts';

export { randomEvents } from './random-events.ts';
export { Random };

export type Feature =
  | 'blank-text'
  | 'cache-marks'
  | 'candidates'
  | 'citations'
  | 'developer-turns'
  | 'extras'
  | 'file-ids'
  | 'hosted-tools'
  | 'logprobs'
  | 'media'
  | 'media-in-results'
  | 'media-in-replies'
  | 'names'
  | 'native'
  | 'parameters'
  | 'refusals'
  | 'seals'
  | 'text-seals'
  | 'thinking'
  | 'tools';

export interface Variety {
  readonly without?: readonly Feature[];
}

/** A conversation in good order: it alternates, every call has its result, ids are unique, seals are of `origin`. */
export function randomRequest(random: Random, origin: Origin, variety: Variety = {}): TextRequest {
  return new RandomConversation(random, origin, variety).request();
}

export function randomReply(random: Random, origin: Origin, variety: Variety = {}): TextReply {
  return new RandomConversation(random, origin, variety).reply();
}

/** `{ name: value }`, or nothing: an absent field is absent. */
type Maybe<Name extends string, Value> = { readonly [Key in Name]?: Value };

class RandomConversation {
  readonly #random: Random;
  readonly #origin: Origin;
  readonly #without: ReadonlySet<Feature>;

  constructor(random: Random, origin: Origin, { without = [] }: Variety) {
    this.#random = random;
    this.#origin = origin;
    this.#without = new Set(without);
  }

  request(): TextRequest {
    const random = this.#random;
    const tools = this.#has('tools') && random.chance() ? this.#tools() : [];
    const names = tools.map(({ name }) => name);
    return {
      model: this.#origin.model,
      messages: this.#messages(names),
      stream: random.chance(),
      tools,
      toolChoice: this.#toolChoice(names),
      output: this.#output(),
      candidates: this.#has('candidates') && random.chance(0.2) ? random.int(2, 4) : 1,
      stop: this.#has('parameters') ? random.list(0, 2, () => random.saying(1)) : [],
      ...(tools.length > 0 && this.#maybe('parallelToolCalls', 0.3, () => random.chance())),
      ...(this.#has('hosted-tools') && this.#maybe('hostedTools', 0.2, () => this.#hostedTools())),
      ...(this.#has('thinking') && this.#maybe('thinking', 0.4, () => this.#thinkingOptions())),
      ...(this.#has('logprobs') && this.#maybe('logprobs', 0.2, () => ({ top: random.int(0, 5) }))),
      ...(this.#has('extras') && this.#maybe('extras', 0.3, () => this.#extras())),
      ...(this.#has('parameters') && this.#parameters()),
    };
  }

  reply(): TextReply {
    const random = this.#random;
    const candidates = this.#has('candidates') && random.chance(0.2) ? random.int(2, 4) : 1;
    return {
      id: `reply_${random.token()}`,
      model: this.#origin.model,
      createdAtMs: random.int(1_600_000_000, 1_900_000_000) * 1000,
      candidates: Array.from({ length: candidates }, () => this.#candidate()),
      usage: this.#usage(),
      ...this.#maybe('serviceTier', 0.2, () => random.pick(['default', 'flex', 'priority'])),
      ...(this.#has('extras') && this.#maybe('extras', 0.2, () => this.#extras())),
    };
  }

  #has(feature: Feature): boolean {
    return !this.#without.has(feature);
  }

  #maybe<Name extends string, Value>(name: Name, probability: number, make: () => Value): Maybe<Name, Value> {
    return (this.#random.chance(probability) ? { [name]: make() } : {}) as Maybe<Name, Value>;
  }

  #parameters() {
    const random = this.#random;
    const rare = 0.2;
    return {
      ...this.#maybe('maxOutputTokens', 0.5, () => random.int(1, 64_000)),
      ...this.#maybe('temperature', 0.3, () => random.int(0, 20) / 10),
      ...this.#maybe('topP', rare, () => random.int(1, 10) / 10),
      ...this.#maybe('topK', rare, () => random.int(1, 100)),
      ...this.#maybe('seed', rare, () => random.int(0, 2 ** 31 - 1)),
      ...this.#maybe('presencePenalty', rare, () => random.int(-20, 20) / 10),
      ...this.#maybe('frequencyPenalty', rare, () => random.int(-20, 20) / 10),
      ...this.#maybe('logitBias', rare, () => ({ [`${random.int(0, 50_000)}`]: random.int(-100, 100) })),
      ...this.#maybe('modalities', rare, () => ['text', ...random.some(['audio', 'image'])]),
      ...this.#maybe('audio', rare, () => ({ voice: random.name(), format: random.pick(['wav', 'mp3', 'pcm16']) })),
      ...this.#maybe('verbosity', rare, () => random.pick(['low', 'medium', 'high'])),
      ...this.#maybe('serviceTier', rare, () => random.pick(['auto', 'default', 'flex', 'priority'])),
      ...this.#maybe('metadata', rare, () => ({ [random.name()]: random.text(3) })),
      ...this.#maybe('user', rare, () => `user-${random.token(8)}`),
      ...this.#maybe('promptCacheKey', rare, () => random.token(8)),
      ...this.#maybe('store', rare, () => random.chance()),
    };
  }

  #thinkingOptions(): Thinking {
    const random = this.#random;
    const mode = random.pick(['off', 'adaptive', 'on'] as const);
    if (mode === 'off') return { mode };
    return {
      mode,
      ...this.#maybe('effort', 0.5, () => random.pick(['minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
      ...(mode === 'on' && this.#maybe('budgetTokens', 0.5, () => random.int(1024, 32_000))),
      ...this.#maybe('visible', 0.3, () => random.chance()),
      ...this.#maybe('summary', 0.2, () => random.pick(['auto', 'concise', 'detailed'])),
    };
  }

  #output(): OutputShape {
    const random = this.#random;
    if (random.chance(0.7)) return { kind: 'text' };
    if (random.chance()) return { kind: 'json' };
    return {
      kind: 'json-schema',
      schema: this.#schema(2),
      name: random.name(),
      ...this.#maybe('description', 0.3, () => random.saying(3)),
      ...this.#maybe('strict', 0.5, () => random.chance()),
    };
  }

  #tools(): ToolDeclaration[] {
    const random = this.#random;
    const names = new Set(random.list(1, 4, () => random.name()));
    return [...names].map((name) => ({
      name,
      ...this.#maybe('description', 0.8, () => random.saying(4)),
      ...this.#maybe('parameters', 0.9, () => this.#schema(3)),
      ...this.#maybe('strict', 0.3, () => random.chance()),
      ...this.#cacheMark(),
    }));
  }

  /** An object with typed properties, some of them optional: what every dialect understands. */
  #schema(depth: number): JsonSchema {
    const random = this.#random;
    const names = [...new Set(random.list(0, 3, () => random.name()))];
    return {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, this.#valueSchema(depth - 1)])),
      required: random.some(names),
    };
  }

  #valueSchema(depth: number): JsonSchema {
    const random = this.#random;
    if (depth > 0 && random.chance(0.3)) return this.#schema(depth);
    if (depth > 0 && random.chance(0.2)) return { type: 'array', items: this.#valueSchema(depth - 1) };
    return {
      type: random.pick(['string', 'number', 'integer', 'boolean']),
      ...this.#maybe('description', 0.4, () => random.saying(2)),
    };
  }

  #toolChoice(names: readonly string[]): ToolChoice {
    const random = this.#random;
    if (names.length === 0 || random.chance()) return { kind: 'auto' };
    const kind = random.pick(['none', 'required', 'tool', 'allowed'] as const);
    if (kind === 'tool') return { kind, name: random.pick(names) };
    if (kind === 'allowed') return { kind, names: [random.pick(names)], required: random.chance() };
    return { kind };
  }

  #hostedTools() {
    const { format } = this.#origin;
    const native = { kind: 'native', format, value: { type: 'code_runner', size: 'small' } } as const;
    const search = { kind: 'web-search', ...this.#maybe('search', 0.5, () => this.#search()) } as const;
    return this.#random.pick([[search], [native], [search, native]]);
  }

  #search(): WebSearch {
    const random = this.#random;
    const domains = () => random.list(1, 2, () => `${random.token(5)}.example`);
    return {
      ...this.#maybe(random.pick(['allowedDomains', 'blockedDomains'] as const), 0.5, domains),
      ...this.#maybe('location', 0.5, () => ({ city: random.saying(1), country: 'NO' })),
      ...this.#maybe('contextSize', 0.3, () => random.pick(['low', 'medium', 'high'])),
      usesMax: random.int(1, 9),
    };
  }

  #extras(): Extras {
    return { format: this.#origin.format, fields: { [`x_${this.#random.name()}`]: this.#random.json() } };
  }

  /** Instructions first, then the user and the assistant by turns, with loops of calls and results inside. */
  #messages(tools: readonly string[]): Message[] {
    const random = this.#random;
    const messages: Message[] = random.list(0, 2, () => this.#instruction());
    for (let round = random.int(1, 3); round > 0; round -= 1) {
      messages.push({ role: 'user', parts: this.#userParts(), ...this.#name() });
      for (let loops = tools.length > 0 ? random.int(0, 2) : 0; loops > 0; loops -= 1) {
        const calls = random.list(1, 3, () => this.#call(random.pick(tools)));
        messages.push({ role: 'assistant', parts: [...this.#assistantParts(), ...calls] });
        messages.push({ role: 'tool', parts: random.shuffled(calls).map((call) => this.#result(call)) });
      }
      if (round > 1 || random.chance(0.2)) {
        const parts = this.#assistantParts();
        messages.push({ role: 'assistant', parts: parts.length > 0 ? parts : [this.#text()] });
      }
    }
    return messages;
  }

  #instruction(): Message {
    const parts = this.#random.list(1, 2, () => this.#text());
    if (!this.#has('developer-turns')) return { role: 'instruction', parts };
    return { role: 'instruction', parts, ...this.#maybe('authority', 0.5, () => this.#authority()) };
  }

  #authority(): 'system' | 'developer' {
    return this.#random.pick(['system', 'developer'] as const);
  }

  #name(): Maybe<'name', string> {
    return this.#has('names') ? this.#maybe('name', 0.1, () => this.#random.name()) : {};
  }

  #userParts(): Part[] {
    const parts: Part[] = this.#random.list(1, 3, () =>
      this.#has('media') && this.#random.chance(0.3) ? this.#media() : this.#text(),
    );
    if (this.#has('native') && this.#random.chance(0.05)) parts.push(this.#native());
    return parts;
  }

  #assistantParts(): Part[] {
    const parts: Part[] = [];
    if (this.#has('thinking') && this.#random.chance(0.4)) parts.push(this.#thinking());
    if (this.#random.chance(0.6)) parts.push(this.#text());
    if (this.#has('refusals') && this.#random.chance(0.05)) parts.push({ type: 'refusal', text: this.#words() });
    return parts;
  }

  #words(): string {
    return this.#has('blank-text') ? this.#random.text() : this.#random.saying();
  }

  #text(): TextPart {
    return { type: 'text', text: this.#words(), ...this.#cacheMark() };
  }

  #cacheMark(): Maybe<'cacheMark', CacheMark> {
    if (!this.#has('cache-marks')) return {};
    return this.#maybe('cacheMark', 0.1, () => (this.#random.chance() ? {} : { lifetime: '1h' }));
  }

  #thinking(): ThinkingPart {
    if (this.#has('seals') && this.#random.chance(0.2)) {
      return { type: 'thinking', text: '', redacted: true, seal: this.#seal() };
    }
    return { type: 'thinking', text: this.#random.saying(), ...this.#maybeSeal(0.6) };
  }

  #seal(): Seal {
    return { value: this.#random.base64(), origin: this.#origin };
  }

  #maybeSeal(probability: number): Maybe<'seal', Seal> {
    return this.#has('seals') ? this.#maybe('seal', probability, () => this.#seal()) : {};
  }

  #call(name: string): ToolCallPart {
    const random = this.#random;
    const call = { type: 'tool-call', id: `call_${random.token()}`, name, arguments: this.#arguments() } as const;
    return { ...call, ...this.#maybeSeal(0.2) };
  }

  /** Printed in several manners, since the original string is to survive. */
  #arguments(): string {
    const random = this.#random;
    return (
      random.pick(['', '{}', '{ }', '{"rate":1.0,"big":12345678901234567890}', undefined, undefined, undefined]) ??
      JSON.stringify(random.object(2), undefined, random.pick([0, 1, 2]))
    );
  }

  #result({ id, name }: ToolCallPart): ToolResultPart {
    const random = this.#random;
    const parts = random.list(0, 2, () =>
      this.#has('media') && this.#has('media-in-results') && random.chance(0.2) ? this.#media() : this.#text(),
    );
    const result = { type: 'tool-result', callId: id, parts, failed: random.chance(0.2) } as const;
    return { ...result, ...this.#maybe('name', 0.3, () => name), ...this.#cacheMark() };
  }

  #native(): NativePart {
    return { type: 'native', format: this.#origin.format, value: { type: 'x_odd', value: this.#random.json() } };
  }

  #media(): MediaPart {
    const random = this.#random;
    const url = `https://files.example/${random.token(8)}?q=%C3%A9&x="1"`;
    const data = random.base64();
    const forms: Omit<MediaPart, 'type'>[] = [
      { media: 'image', mediaType: random.pick(['image/png', 'image/jpeg']), source: { kind: 'base64', data } },
      {
        media: 'image',
        source: { kind: 'url', url },
        ...this.#maybe('detail', 0.3, () => random.pick(['low', 'high'])),
      },
      { media: 'document', mediaType: 'application/pdf', source: { kind: 'base64', data }, filename: 'a "b" ü.pdf' },
      { media: 'document', mediaType: 'text/plain', source: { kind: 'text', text: random.saying() } },
      { media: 'document', mediaType: 'application/pdf', source: { kind: 'url', url } },
      { media: 'audio', mediaType: random.pick(['audio/wav', 'audio/mpeg']), source: { kind: 'base64', data } },
    ];
    if (this.#has('file-ids')) forms.push({ media: 'document', source: { kind: 'file-id', id: `file-${data}` } });
    return { type: 'media', ...random.pick(forms), ...this.#cacheMark() };
  }

  #candidate(): Candidate {
    const random = this.#random;
    const parts: Part[] = [];
    for (let count = random.int(0, 5); count > 0; count -= 1) parts.push(this.#replyPart());
    return { parts, finish: this.#finish(parts) };
  }

  #replyPart(): Part {
    const random = this.#random;
    const kinds: (() => Part)[] = [() => this.#replyText(), () => this.#replyText()];
    if (this.#has('thinking')) kinds.push(() => this.#thinking());
    if (this.#has('tools')) kinds.push(() => this.#call(random.name()));
    if (this.#has('refusals')) kinds.push(() => ({ type: 'refusal', text: this.#words() }));
    if (this.#has('native')) kinds.push(() => this.#native());
    if (this.#has('media') && this.#has('media-in-replies')) kinds.push(() => this.#replyMedia());
    return random.pick(kinds)();
  }

  #replyText(): TextPart {
    const random = this.#random;
    const text = this.#words();
    return {
      type: 'text',
      text,
      ...(this.#has('citations') && this.#maybe('citations', 0.2, () => random.list(1, 2, () => this.#citation(text)))),
      ...(this.#has('logprobs') && text !== '' && this.#maybe('logprobs', 0.2, () => this.#logprobs(text))),
      ...(this.#has('text-seals') && this.#maybeSeal(0.1)),
    };
  }

  #citation(text: string): Citation {
    const random = this.#random;
    const start = random.int(0, text.length);
    return {
      url: `https://example.com/${random.token(6)}`,
      ...this.#maybe('title', 0.7, () => random.saying(3)),
      ...this.#maybe('quote', 0.4, () => random.saying(3)),
      ...(random.chance() && { start, end: random.int(start, text.length) }),
    };
  }

  /** One token for each character, so that the tokens make up the text. */
  #logprobs(text: string): TokenLogprob[] {
    const random = this.#random;
    const one = (token: string) => ({ token, logprob: -random.int(0, 9000) / 1000, bytes: [...Buffer.from(token)] });
    return [...text].map((token) => ({ ...one(token), ...this.#maybe('top', 0.3, () => [one(token), one('x')]) }));
  }

  #replyMedia(): MediaPart {
    const random = this.#random;
    const source = { kind: 'base64', data: random.base64() } as const;
    return random.pick<MediaPart>([
      { type: 'media', media: 'image', mediaType: 'image/png', source },
      { type: 'media', media: 'audio', mediaType: 'audio/wav', source },
      { type: 'media', media: 'image', source: { kind: 'url', url: `https://files.example/${random.token(8)}.png` } },
      { type: 'media', media: 'document', mediaType: 'text/csv', source, filename: 'table.csv' },
    ]);
  }

  #finish(parts: readonly Part[]): Finish {
    const random = this.#random;
    if (parts.some(({ type }) => type === 'tool-call')) return { reason: 'tool-calls' };
    if (parts.some(({ type }) => type === 'refusal')) return { reason: 'refusal' };
    const reason = random.pick(['stop', 'stop', 'length', 'content-filter', 'stop-sequence'] as const);
    return reason === 'stop-sequence' ? { reason, stopSequence: random.saying(1) } : { reason };
  }

  /** Sums agree, as a provider's do. */
  #usage(): Usage {
    const random = this.#random;
    if (random.chance(0.1)) return { input: {}, output: {} };
    const counts = { fresh: random.int(0, 5000), cacheRead: random.int(0, 5000), cacheWrite: random.int(0, 500) };
    const text = random.int(0, 2000);
    const thinking = this.#has('thinking') ? random.int(0, 2000) : 0;
    return {
      input: { total: counts.fresh + counts.cacheRead + counts.cacheWrite, ...(random.chance() && counts) },
      output: { total: text + thinking, ...(random.chance() && { text, thinking }) },
    };
  }
}
