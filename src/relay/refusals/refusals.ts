/**
 * Records requests that are refused before any provider is chosen: each as a row without cost, up to a ceiling per
 * minute and token. Those above it are counted together, so that a client in a loop fills no table.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { unknownUsage } from '../../conversation/usage.ts';
import type { Ledger, RequestError, UsageRow } from '../../ledger/ledger.ts';
import { type Observation, observationOf } from '../admission/observation.ts';
import { refusalError } from '../attempts/request-error.ts';
import type { RequestTracing } from '../attempts/request-trace.ts';

export interface RefusedRequest {
  readonly requestId: string;
  /** Empty where the caller is unknown. */
  readonly tokenId: string;
  /** Empty where no endpoint was found. */
  readonly endpoint: string;
  /** As the client named it; absent where it named none, or the body was not read. */
  readonly model?: string | undefined;
  readonly startedAtMs: number;
  /** Absent for a message on a socket. */
  readonly request?: { readonly headers: Pick<Headers, 'get'> };
}

interface RefusalParts {
  readonly ledger: Pick<Ledger, 'record' | 'recordError'>;
  nowMs(): number;
  wallMs(): number;
  observe(seen: Observation): void;
  /** Present while telemetry is on. */
  readonly tracing?: Pick<RequestTracing, 'refused'> | undefined;
  info(message: string, details: Readonly<Record<string, unknown>>): void;
}

const minuteMs = 60_000;
/** Rows of one token in a minute; callers without a known token share theirs. */
const rowsPerTokenMax = 60;
const rowsMax = 600;
/** Kinds of refusals that are counted apart in a minute. */
const kindsMax = 1_000;

interface Counted {
  /** The first of them. */
  readonly row: UsageRow;
  readonly error: RequestError;
  /** Empty where they named several. */
  model: string;
  requests: number;
}

export class Refusals {
  readonly #parts: RefusalParts;
  #minute = 0;
  #rows = 0;
  readonly #rowsOf = new Map<string, number>();
  readonly #counted = new Map<string, Counted>();

  constructor(parts: RefusalParts) {
    this.#parts = parts;
  }

  record(request: RefusedRequest, error: unknown): void {
    const row = this.#rowOf(request, error);
    const atMs = this.#parts.wallMs();
    const reason = refusalError(row, error, atMs);
    // The model is what a client wrote: as a label it could have any number of values.
    this.#parts.observe(observationOf({ ...row, model: '' }));
    this.#parts.tracing?.refused(row, request.request?.headers);
    this.#enterMinute(atMs);
    if (this.#takesRow(row.tokenId)) this.#write(row, reason);
    else this.#count(row, reason);
  }

  /** Writes what was counted in a minute that is over; at shutdown of this minute, too. */
  flush(isLast = false): void {
    if (isLast) this.#endMinute();
    else this.#enterMinute(this.#parts.wallMs());
  }

  #rowOf({ requestId, tokenId, endpoint, model = '', startedAtMs }: RefusedRequest, error: unknown): UsageRow {
    const { nowMs, wallMs } = this.#parts;
    const refused = error instanceof GatewayError ? error : undefined;
    const totalMs = Math.max(0, Math.round(nowMs() - startedAtMs));
    return {
      requestId,
      atMs: wallMs() - totalMs,
      tokenId: tokenId === '' ? (refused?.tokenId ?? '') : tokenId,
      endpoint,
      model,
      provider: '',
      upstreamModel: '',
      stream: false,
      attempts: 0,
      status: refused?.status ?? 500,
      code: refused?.code ?? 'internal_error',
      usage: unknownUsage,
      costNano: 0n,
      estimated: false,
      priceVersion: '',
      totalMs,
      bytesIn: 0,
      bytesOut: 0,
    };
  }

  #enterMinute(atMs: number): void {
    const minute = Math.floor(atMs / minuteMs);
    if (minute === this.#minute) return;
    this.#endMinute();
    this.#minute = minute;
  }

  #endMinute(): void {
    for (const { row, error, model, requests } of this.#counted.values()) {
      const message = requests === 1 ? error.message : `${requests} requests like this one. ${error.message}`;
      this.#write({ ...row, model, requests }, { ...error, message });
    }
    this.#counted.clear();
    this.#rowsOf.clear();
    this.#rows = 0;
  }

  #takesRow(tokenId: string): boolean {
    const rows = this.#rowsOf.get(tokenId) ?? 0;
    if (this.#rows >= rowsMax || rows >= rowsPerTokenMax) return false;
    this.#rows += 1;
    this.#rowsOf.set(tokenId, rows + 1);
    return true;
  }

  #count(row: UsageRow, error: RequestError): void {
    const isKnown = this.#counted.size < kindsMax;
    const kind = `${row.tokenId}\0${row.endpoint}\0${row.code}`;
    const name = isKnown || this.#counted.has(kind) ? kind : row.code;
    const counted = this.#counted.get(name);
    if (counted === undefined) {
      const shown = name === kind ? row : { ...row, tokenId: '', endpoint: '' };
      this.#counted.set(name, { row: shown, error, model: shown.model, requests: 1 });
      return;
    }
    counted.requests += 1;
    if (counted.model !== row.model) counted.model = '';
  }

  #write(row: UsageRow, error: RequestError): void {
    const { requestId, tokenId, endpoint, model, status, code, requests = 1 } = row;
    this.#parts.ledger.record(row);
    this.#parts.ledger.recordError(error);
    const what = requests === 1 ? 'A request was refused.' : `${requests} requests were refused.`;
    this.#parts.info(what, { requestId, tokenId, endpoint, model, status, code, reason: error.message });
  }
}
