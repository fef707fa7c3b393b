/** Reads a stream of content-generation chunks into neutral events. */

import type { ErrorCode } from '../../../conversation/error-table.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Loss } from '../../../conversation/parts.ts';
import type { StreamEvent } from '../../../conversation/text-reply.ts';
import { type Usage, unknownUsage } from '../../../conversation/usage.ts';
import type { ReadContext, StreamReader } from '../../codec.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import type { ProviderFault } from '../../format.ts';
import { failureCode, faultOf } from '../errors.ts';
import { replyTable } from '../fields.ts';
import { withoutAnswer } from '../read/reply.ts';
import { isReply, keepReplyFields, readHead, readTierOf } from '../reply-fields.ts';
import { isBlocked } from '../tap.ts';
import { readUsage, searchesOf, usesMaps, withBeside } from '../usage.ts';
import { formatName } from '../wire.ts';
import { CandidateReader } from './candidate-reader.ts';

export function streamReader(context: ReadContext): StreamReader {
  return new ChunkReader(context);
}

/**
 * Candidates end with the bytes, not with their finish: some models repeat the finish in every chunk, and sources and usage
 * may come with it or after it.
 */
class ChunkReader implements StreamReader {
  readonly #context: ReadContext;
  readonly #losses = new LossList();
  readonly #candidates = new Map<number, CandidateReader>();
  #started = false;
  #over = false;
  #mayHaveFailed = false;
  #usage: Usage | undefined;
  #usageSaid = false;
  #searches = 0;
  #maps = false;
  #model: unknown;
  #blocked: Tree | undefined;
  /** Fields of the reply that only this format has; the last report of each counts. */
  readonly #kept = new Map<string, unknown>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  get losses(): readonly Loss[] {
    return this.#losses.all;
  }

  read(data: string): readonly StreamEvent[] {
    const chunk: unknown = JSON.parse(data);
    if (!isObject(chunk)) throw new SyntaxError('A chunk of generated content is a JSON object.');
    if (this.#over) return [];
    if (chunk.error !== undefined && chunk.error !== null) return [this.#failure(chunk.error)];
    if (!isReply(chunk)) throw new SyntaxError('A chunk of generated content has `candidates`.');
    reportUnread(chunk, replyTable, this.#losses);
    const events: StreamEvent[] = [];
    if (!this.#started) this.#start(chunk, events);
    const { candidates } = chunk;
    if (Array.isArray(candidates)) {
      for (let place = 0; place < candidates.length; place++) {
        this.#readCandidate(candidates[place], place, events);
        this.#countSearches(candidates[place], chunk.modelVersion);
      }
    } else if (isBlocked(chunk)) {
      this.#blocked = chunk;
    }
    const failed = this.#mayHaveFailed ? this.#failedTurn() : undefined;
    if (failed !== undefined) return [...events, failed];
    this.#readUsage(chunk, events);
    keepReplyFields(chunk, this.#kept);
    return events;
  }

  /** Reported with the finish: nothing that comes later would make it a turn. */
  #failedTurn(): StreamEvent | undefined {
    let failed: CandidateReader | undefined;
    for (const reader of this.#candidates.values()) {
      if (!reader.hasFailed) return undefined;
      failed ??= reader;
    }
    return failed === undefined ? undefined : this.#fail(failed.failure, 'upstream_failed');
  }

  end(): readonly StreamEvent[] {
    if (this.#over || !this.#started) return [];
    const readers = [...this.#candidates.values()];
    const isFinished = readers.length > 0 ? readers.every((reader) => reader.isFinished) : this.#blocked !== undefined;
    if (!isFinished) return [];
    this.#over = true;
    const events: StreamEvent[] = [];
    for (const reader of readers) reader.end(events);
    if (readers.length === 0 && this.#blocked !== undefined) refuse(this.#blocked, events);
    if (this.#kept.size > 0) {
      events.push({ type: 'native', format: formatName, value: Object.fromEntries(this.#kept) });
    }
    const beside = { searches: this.#searches, maps: this.#maps, model: this.#model };
    const usage = withBeside(this.#usage ?? unknownUsage, beside);
    events.push({ type: 'usage', usage }, { type: 'reply-end' });
    return events;
  }

  #start(chunk: Tree, events: StreamEvent[]): void {
    this.#started = true;
    const serviceTier = readTierOf(chunk.usageMetadata);
    events.push({
      type: 'reply-start',
      ...readHead(chunk, this.#context),
      ...(serviceTier !== undefined && { serviceTier }),
    });
  }

  #readCandidate(candidate: unknown, place: number, events: StreamEvent[]): void {
    if (!isObject(candidate)) return;
    const index = typeof candidate.index === 'number' ? candidate.index : place;
    let reader = this.#candidates.get(index);
    if (reader === undefined) {
      reader = new CandidateReader(index, this.#context, this.#losses);
      this.#candidates.set(index, reader);
    }
    reader.read(candidate, events);
    this.#mayHaveFailed ||= reader.hasFailed;
  }

  /**
   * Every report is a running total. The first is passed on at once, since some formats write the input at the
   * beginning.
   */
  #countSearches(candidate: unknown, model: unknown): void {
    if (!isObject(candidate) || candidate.groundingMetadata === undefined) return;
    this.#searches = Math.max(this.#searches, searchesOf(candidate, model));
    this.#maps ||= usesMaps(candidate);
  }

  #readUsage(chunk: Tree, events: StreamEvent[]): void {
    const usage = readUsage(chunk.usageMetadata);
    if (usage === undefined) return;
    this.#usage = usage;
    this.#model = chunk.modelVersion;
    if (this.#usageSaid) return;
    this.#usageSaid = true;
    events.splice(events[0]?.type === 'reply-start' ? 1 : 0, 0, { type: 'usage', usage: { ...usage, output: {} } });
  }

  #failure(error: unknown): StreamEvent {
    const fault = faultOf(error);
    return this.#fail(fault, failureCode(fault));
  }

  #fail({ message, type, code: providerCode }: ProviderFault, code: ErrorCode): StreamEvent {
    this.#over = true;
    return { type: 'failure', code, message, providerType: type, providerCode };
  }
}

function refuse(chunk: Tree, events: StreamEvent[]): void {
  const { parts, finish } = withoutAnswer(chunk);
  const [refusal] = parts;
  if (refusal?.type === 'refusal') {
    events.push(
      { type: 'part-start', candidate: 0, part: 0, opening: { type: 'refusal' } },
      { type: 'text-delta', candidate: 0, part: 0, text: refusal.text },
      { type: 'part-end', candidate: 0, part: 0 },
    );
  }
  events.push({ type: 'candidate-end', candidate: 0, finish });
}
