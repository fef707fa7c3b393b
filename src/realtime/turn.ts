/** One response of a live conversation in the ledger: a request of its own, recorded before the provider could bill it, closed once. */

import type { Caller } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import { tokensIn, type Usage, unknownUsage } from '../conversation/usage.ts';
import { formatName } from '../formats/openai-realtime/handshake.ts';
import type { OutputLimit } from '../formats/openai-realtime/settings.ts';
import { boundOf, costOf } from '../ledger/cost.ts';
import { writeLaneRecord } from '../ledger/lane-record.ts';
import type {
  AttemptClosing,
  AttemptOpening,
  BudgetScope,
  OpeningVerdict,
  RequestError,
  UsageRow,
} from '../ledger/ledger.ts';
import { chargingPrice } from '../ledger/unpriced.ts';
import type { Consumption } from '../operations/consumption.ts';
import { addUsage } from '../operations/splittings.ts';
import type { Price } from '../prices/price.ts';
import { jointVersion } from '../prices/price-source.ts';
import { nothingSent } from '../relay/admission/ledger-errors.ts';
import { observationOf } from '../relay/admission/observation.ts';
import type { EndedAttempt } from '../relay/attempts/ended-attempt.ts';
import { refusalError } from '../relay/attempts/request-error.ts';
import type { Running } from '../relay/attempts/running-attempts.ts';
import { budgetRefusal } from '../relay/cost-bounds/budget-refusal.ts';
import { budgetsOf } from '../relay/cost-bounds/budget-scopes.ts';
import type { CountedBudgets } from '../relay/cost-bounds/level-budgets.ts';
import type { Target } from '../routing/catalogue.ts';
import type { Verdict, VerdictKind } from '../upstream/faults/verdict.ts';
import { type LiveCaller, type LiveParts, liveEndpoint } from './live-parts.ts';

interface TurnGiven {
  readonly requestId: string;
  /** How many providers were tried for the connection, the last included. */
  readonly ordinal: number;
  readonly caller: Caller;
  /** Whom the handshake named. */
  readonly who: Pick<LiveCaller, 'endUser' | 'tags'>;
  /** As the caller named it. */
  readonly model: string;
  readonly target: Target;
  readonly keyId: string;
  /** An orderly shutdown has waited enough. */
  abandon(error: GatewayError): void;
}

/** What one response can use at most, and what it probably will. */
export interface TurnBounds {
  /** Of the model: what it reads and writes together is no more. */
  readonly contextTokens: number;
  readonly outputLimit: OutputLimit;
  readonly inputTokensLikely: number;
  /** What is held, where it is not for a response. */
  readonly mostNano?: bigint | undefined;
}

/** What is charged with a response beside it. */
export interface ExtraCharge {
  readonly usage: Usage;
  readonly costNano: bigint;
  /** The provider did not count it. */
  readonly estimated: boolean;
  /** Of the price that it was charged by. */
  readonly priceVersion: string;
  /** What was used without a price, beside tokens. */
  readonly units?: Consumption;
}

interface TurnEnd {
  readonly usage: Usage;
  readonly estimated: boolean;
  readonly status: number;
  readonly code: string;
  readonly extra: ExtraCharge | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

const outputTokensLikely = 500;
const checkpointEveryMs = 1_000;

export class Turn implements Running {
  readonly given: TurnGiven;
  readonly price: Price | undefined;
  readonly #parts: LiveParts;
  readonly #id: string;
  readonly #openedAtMs: number;
  #startedAtMs: number;
  #firstEventAtMs: number | undefined;
  #checkpointAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  #outputLimit: OutputLimit = 0;
  #reserveNano = 0n;
  /** What the model wrote and said so far, for an estimate. */
  characters = 0;
  audioBytes = 0;
  /** Settling waits for it where a response began before its row could be written. */
  opened: Promise<void> = Promise.resolve();

  constructor(parts: LiveParts, given: TurnGiven) {
    this.#parts = parts;
    this.given = given;
    this.price = parts.priceOf(given.target);
    this.#id = `${given.requestId}.${given.ordinal}`;
    this.#openedAtMs = parts.nowMs();
    this.#startedAtMs = this.#openedAtMs;
  }

  /** Reserves the bound and marks the dispatch in one commit. Throws where the budget has no room for it. */
  async open(bounds: TurnBounds): Promise<void> {
    const { scopes, money, tokens } = this.#budgets();
    this.#outputLimit = bounds.outputLimit;
    this.#reserveNano =
      money === undefined ? 0n : (bounds.mostNano ?? (this.price === undefined ? 0n : mostOf(this.price, bounds)));
    const reserveTokens = tokens === undefined ? 0 : bounds.contextTokens;
    const verdict = await this.#write(scopes, { reserveNano: this.#reserveNano, reserveTokens }, bounds);
    if (!verdict.admitted) {
      const most = { mostNano: () => this.#reserveNano, mostTokens: () => reserveTokens };
      throw await budgetRefusal(this.#parts, this.given.caller, verdict.scope, most);
    }
    this.#parts.running.add(this);
  }

  /** How long a response the reservation covers. */
  get outputLimit(): OutputLimit {
    return this.#outputLimit;
  }

  get reserveNano(): bigint {
    return this.#reserveNano;
  }

  /**
   * For a response that the provider began without a reservation: what it costs is charged in any case. False where the budget
   * has no room for it, so that it must be cancelled.
   */
  async openLate(bounds: TurnBounds): Promise<boolean> {
    try {
      await this.open(bounds);
      return true;
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'budget_spent') throw error;
      this.#reserveNano = 0n;
      this.#parts.running.add(this);
      await this.#write([], { reserveNano: 0n, reserveTokens: 0 }, bounds);
      return false;
    }
  }

  #budgets(): CountedBudgets {
    const { priceTables, wallMs } = this.#parts;
    return budgetsOf({ ...this.given, price: this.price }, priceTables, wallMs());
  }

  async #write(
    scopes: readonly BudgetScope[],
    reserve: Pick<AttemptOpening, 'reserveNano' | 'reserveTokens'>,
    bounds: TurnBounds,
  ): Promise<OpeningVerdict> {
    const { requestId, caller, target, keyId } = this.given;
    const likely = { inputTokensMax: bounds.inputTokensLikely, outputTokensMax: outputTokensLikely };
    const opening: AttemptOpening = {
      attemptId: this.#id,
      requestId,
      tokenId: caller.tokenId,
      scopes,
      ...reserve,
      estimateNano: this.price === undefined ? 0n : boundOf(this.price, likely),
      provider: target.provider.name,
      model: target.model,
      keyId,
      atMs: this.#parts.wallMs(),
    };
    const { ledger } = this.#parts;
    return ledger.openNow(opening) ?? (await ledger.open(opening).catch(nothingSent));
  }

  /** The provider has begun: from here the time of the response is counted. */
  begin(): void {
    this.#startedAtMs = this.#parts.nowMs();
  }

  wrote(): void {
    this.#firstEventAtMs ??= this.#parts.nowMs();
  }

  /** What it has cost so far, so that a crash can charge it. */
  checkpoint(usage: Usage): void {
    const nowMs = this.#parts.nowMs();
    if (this.#closed || this.price === undefined || nowMs - this.#checkpointAtMs < checkpointEveryMs) return;
    this.#checkpointAtMs = nowMs;
    this.#parts.ledger.checkpoint(this.#id, costOf(this.price, usage));
  }

  /** It was not used: the reservation is released and no row is written. */
  async release(verdict: VerdictKind | 'unused', failure?: RequestError): Promise<void> {
    await this.opened;
    if (!this.#closed && verdict !== 'unused') this.#attempted(verdict, { error: failure });
    await this.#close(0n, 0, false, undefined, verdict);
  }

  async settle(end: TurnEnd): Promise<void> {
    await this.opened;
    const own = this.price === undefined ? 0n : costOf(this.price, end.usage);
    const price = chargingPrice(this.price, own, undefined);
    const costNano = own + (end.extra?.costNano ?? 0n);
    const usage = end.extra === undefined ? end.usage : addUsage(end.usage, end.extra.usage);
    const firstEventMs =
      this.#firstEventAtMs === undefined ? undefined : Math.round(this.#firstEventAtMs - this.#startedAtMs);
    const row = {
      ...rowOf(this.#parts, this.given, this.#startedAtMs),
      status: end.status,
      code: end.code,
      usage,
      costNano,
      estimated: end.estimated,
      priceVersion: jointVersion(end.extra?.priceVersion, price?.version ?? ''),
      priceName: price && this.#parts.ledger.nameOf(price),
      firstEventMs,
      units: end.extra?.units,
      bytesIn: end.bytesIn,
      bytesOut: end.bytesOut,
      way: liveLane,
      keyId: this.given.keyId,
    };
    observeRow(this.#parts, row);
    const verdict = outcomeOf(end.code);
    if (!this.#closed)
      this.#attempted(verdict, {
        firstTokenMs: firstEventMs,
        totalMs: firstEventMs === undefined ? undefined : row.totalMs,
        outputTokens: end.estimated ? undefined : end.usage.output.total,
      });
    await this.#close(costNano, tokensIn(usage), end.estimated, row, verdict);
  }

  #attempted(verdict: VerdictKind | '', measured: Partial<EndedAttempt>): void {
    const { target, keyId } = this.given;
    const own = { provider: target.provider.name, model: target.model, keyId, verdict, atMs: this.#parts.wallMs() };
    this.#parts.attempted({ ...own, ...measured });
  }

  async #close(
    costNano: bigint,
    tokens: number | undefined,
    estimated: boolean,
    row: UsageRow | undefined,
    verdict: string,
  ): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { ledger, running, wallMs } = this.#parts;
    const closing: AttemptClosing = { attemptId: this.#id, costNano, tokens, estimated, atMs: wallMs(), row, verdict };
    try {
      if (!ledger.closeNow(closing)) await ledger.close(closing);
    } finally {
      running.delete(this);
    }
  }

  /** The session has timeouts of its own. */
  tick(): void {}

  abandon({ error }: Verdict): void {
    this.given.abandon(error);
  }
}

/** What a model reads and what it writes share its context, so the most is one of the two extremes. */
function mostOf(price: Price, { contextTokens, outputLimit }: TurnBounds): bigint {
  const read = boundOf(price, { inputTokensMax: contextTokens, outputTokensMax: 0 });
  const written = boundOf(price, { inputTokensMax: 0, outputTokensMax: contextTokens });
  const whole = read > written ? read : written;
  if (outputLimit === 'inf') return whole;
  const limited = boundOf(price, { inputTokensMax: contextTokens, outputTokensMax: outputLimit });
  return limited < whole ? limited : whole;
}

/** Frames pass unchanged in both directions. */
export const liveLane = writeLaneRecord('forward', formatName, formatName, []);

/** The verdict in the trail for this code: what the provider did not end, Weir or the client did. */
function outcomeOf(code: string): VerdictKind | '' {
  if (code === '') return '';
  return code.startsWith('upstream_') ? 'uncertain' : 'limit';
}

/** The parts of a usage row that are the same whatever became of the response; a refused request has nothing else. */
export function rowOf(
  parts: LiveParts,
  {
    requestId,
    caller,
    who,
    model,
    target,
    ordinal,
  }: Omit<TurnGiven, 'target' | 'abandon' | 'keyId'> & { target: Target | undefined },
  startedAtMs: number,
): UsageRow {
  const totalMs = Math.round(parts.nowMs() - startedAtMs);
  return {
    requestId,
    atMs: parts.wallMs() - totalMs,
    tokenId: caller.tokenId,
    endpoint: liveEndpoint,
    model,
    provider: target?.provider.name ?? '',
    upstreamModel: target?.model ?? '',
    stream: true,
    attempts: ordinal,
    status: 200,
    code: '',
    usage: unknownUsage,
    costNano: 0n,
    estimated: false,
    priceVersion: '',
    totalMs,
    bytesIn: 0,
    bytesOut: 0,
    endUser: who.endUser,
    tags: who.tags,
  };
}

/** No connection came about: a row at no cost says why. */
export function recordRefusal(parts: LiveParts, row: UsageRow, error: unknown): void {
  const refused = error instanceof GatewayError ? error : undefined;
  const own = { ...row, status: refused?.status ?? 500, code: refused?.code ?? 'internal_error' };
  parts.ledger.record(own);
  parts.ledger.recordError(refusalError(own, error, parts.wallMs()));
  observeRow(parts, own);
}

function observeRow(parts: LiveParts, row: UsageRow): void {
  parts.observe(observationOf(row));
}
