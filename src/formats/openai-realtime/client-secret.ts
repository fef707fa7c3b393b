/** The request for a short-lived credential and its reply, in the shape of today and in the beta's. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';

export interface SecretRequest {
  readonly session: Tree;
  readonly lifetimeMs: number;
}

const defaultSeconds = 600;
const secondsMin = 10;
const secondsMax = 7_200;
/** The beta's credentials open one session. */
const betaSeconds = 60;

/** Throws a GatewayError that names what is wrong with it. */
export function readSecretRequest(body: Tree): SecretRequest {
  const { session = {}, expires_after: after } = body;
  if (!isObject(session)) throw invalid('session', 'must be an object');
  const { type } = session;
  if (type !== undefined && type !== 'realtime' && type !== 'transcription') {
    throw invalid('session.type', 'must be `realtime` or `transcription`');
  }
  return { session: { type: 'realtime', ...session }, lifetimeMs: readSeconds(after) * 1_000 };
}

/** The body of the beta is the session itself. */
export function readBetaRequest(body: Tree): SecretRequest {
  return { session: body, lifetimeMs: betaSeconds * 1_000 };
}

function readSeconds(after: unknown): number {
  if (after === undefined || after === null) return defaultSeconds;
  if (!isObject(after)) throw invalid('expires_after', 'must be an object');
  const { anchor, seconds = defaultSeconds } = after;
  if (anchor !== undefined && anchor !== 'created_at') throw invalid('expires_after.anchor', 'must be `created_at`');
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < secondsMin || seconds > secondsMax) {
    throw invalid('expires_after.seconds', `must be a whole number from ${secondsMin} to ${secondsMax}`);
  }
  return seconds;
}

export interface MadeSecret {
  readonly value: string;
  readonly expiresAtMs: number;
  readonly sessionId: string;
  /** As the caller names it. */
  readonly model: string;
  readonly session: Tree;
}

export function secretReply(made: MadeSecret): Tree {
  const { session, sessionId, model, value } = made;
  const kind = session['type'] === 'transcription' ? 'realtime.transcription_session' : 'realtime.session';
  return {
    value,
    expires_at: secondsOf(made),
    session: { ...session, object: kind, id: sessionId, ...(kind === 'realtime.session' && { model }) },
  };
}

export function betaReply(made: MadeSecret): Tree {
  const { session, sessionId, model, value } = made;
  return {
    ...session,
    id: sessionId,
    object: 'realtime.session',
    model,
    client_secret: { value, expires_at: secondsOf(made) },
  };
}

function secondsOf({ expiresAtMs }: MadeSecret): number {
  return Math.floor(expiresAtMs / 1_000);
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
