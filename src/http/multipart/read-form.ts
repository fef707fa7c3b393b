/**
 * Receives a multipart form: checked as it arrives, kept byte for byte, and removed completely if anything is wrong.
 */

import type { Deadlines } from '../deadlines.ts';
import type { HttpRequest } from '../request.ts';
import { Arrival, type ByteSource } from './arrival.ts';
import { readBoundary } from './boundary.ts';
import { assembleForm, type Form } from './form.ts';
import { FormScanner } from './form-scanner.ts';
import { KeptBytes, type SpoolOptions } from './kept-bytes.ts';
import { defaultFormLimits, type FormLimits } from './limits.ts';
import { brokenOff, tooLarge } from './refusals.ts';

export interface FormOptions {
  /** Omitted limits have their defaults. */
  readonly limits?: Partial<FormLimits>;
  readonly spool: SpoolOptions;
  readonly deadlines: Pick<Deadlines, 'add' | 'delete'>;
  /** The client's signal: a form that is no longer needed is disposed at once. */
  readonly signal?: AbortSignal;
}

/** Rejects with a GatewayError; then nothing of the form is left. */
export async function readForm(source: ByteSource, contentType: string | null, options: FormOptions): Promise<Form> {
  const limits = { ...defaultFormLimits, ...options.limits };
  const boundary = readBoundary(contentType);
  const scanner = new FormScanner(boundary, limits);
  const kept = new KeptBytes(options.spool);
  const { deadlines, signal } = options;
  const arrival = new Arrival(source, { timeoutMs: limits.timeoutMs, deadlines, signal });
  try {
    for (let piece = await arrival.next(); piece !== undefined; piece = await arrival.next()) {
      scanner.push(piece);
      const writing = kept.append(piece);
      if (writing !== undefined) await writing;
    }
    const scanned = scanner.end();
    await kept.finish();
    const form = await assembleForm(scanned, { kept, contentType: contentType ?? '', boundary });
    arrival.end();
    return form;
  } catch (error) {
    arrival.cancel();
    await kept.dispose();
    throw error;
  }
}

/** As `readForm`; a form whose announced length is too large is refused before a byte of it is read. */
export async function readRequestForm(request: HttpRequest, options: FormOptions): Promise<Form> {
  const contentType = request.headers.get('content-type');
  readBoundary(contentType);
  const totalBytesMax = options.limits?.totalBytesMax ?? defaultFormLimits.totalBytesMax;
  if (Number(request.headers.get('content-length') ?? 0) > totalBytesMax) throw tooLarge('The form', totalBytesMax);
  if (request.body === null) throw brokenOff();
  return readForm(request.body, contentType, options);
}
