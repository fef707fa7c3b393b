/**
 * The JSON body of an admitted request: its memory is held until the request ends, and its slot released if it never
 * arrives.
 */

import type { Admission } from '../access/limits.ts';
import { deploymentParameter } from '../formats/other-paths.ts';
import { arrivedNow } from '../http/arrived-now.ts';
import type { Bodies } from '../http/bodies.ts';
import type { Exchange } from '../http/exchange.ts';
import { editBody, type JsonBody } from '../http/json/json-body.ts';
import { type HeldMemory, mayBeLarge } from '../http/memory/body-memory.ts';
import { requireJson } from '../http/read-body.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Entry } from './admit.ts';

export interface TakenBody {
  readonly body: JsonBody;
  /** The admission of the request; ending it frees the body's memory too. */
  readonly admission: Admission;
}

/** At once for a small body that came together with its head. */
export function takeBody(
  bodies: Bodies,
  request: HttpRequest,
  { caller, admission }: Entry,
): TakenBody | Promise<TakenBody> {
  const held = mayBeLarge(request.headers) ? bodies.hold(caller.tokenId) : undefined;
  const ending = held === undefined ? admission : new HoldingAdmission(admission, held);
  try {
    requireJson(request);
    const arriving = bodies.bytes(request, held);
    const bytes = arrivedNow(arriving);
    if (bytes === undefined)
      return late(
        arriving.then((arrived) => bodies.read(arrived)),
        ending,
      );
    const body = bodies.read(bytes);
    return body instanceof Promise ? late(body, ending) : { body, admission: ending };
  } catch (error) {
    ending.leave(0);
    throw error;
  }
}

/** If the path names a deployment, that is the model, whatever the body says. */
export function withPathModel({ params }: Exchange, body: JsonBody): JsonBody {
  const model = params[deploymentParameter];
  if (model === undefined || model === body.tree['model']) return body;
  return editBody(body, new Map([['model', JSON.stringify(model)]]));
}

async function late(reading: Promise<JsonBody>, admission: Admission): Promise<TakenBody> {
  try {
    return { body: await reading, admission };
  } catch (error) {
    admission.leave(0);
    throw error;
  }
}

/** For a body that was not read here: counts its memory until the request ends. */
export function holding(bodies: Bodies, { caller, admission }: Entry, bytes: number): Entry {
  const held = bodies.hold(caller.tokenId);
  try {
    held.add(bytes);
  } catch (error) {
    admission.leave(0);
    throw error;
  }
  return { caller, admission: new HoldingAdmission(admission, held) };
}

class HoldingAdmission implements Admission {
  readonly #admission: Admission;
  readonly #held: HeldMemory;

  constructor(admission: Admission, held: HeldMemory) {
    this.#admission = admission;
    this.#held = held;
  }

  get headers(): Admission['headers'] {
    return this.#admission.headers;
  }

  reserve(tokens: number): Promise<void> | undefined {
    return this.#admission.reserve(tokens);
  }

  leave(actualTokens?: number): void {
    this.#admission.leave(actualTokens);
    this.#held.release();
  }
}
