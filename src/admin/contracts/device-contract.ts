/** What the console and the OAuth endpoints share about programs that a person signs in with a device code. */

import { z } from 'zod';

export const deviceBounds = {
  /** How long a device code and its user code count. */
  codeLifetimeMs: 10 * 60 * 1_000,
  intervalMs: 5_000,
  /** Added to the interval of a program that polls too often. */
  slowDownMs: 5_000,
  /** A poll that is this much early still counts as in time: networks delay the one before. */
  intervalSlackMs: 500,
  /** Sign-ins that were not answered yet, in all: beyond them the oldest expires. */
  pendingMax: 10_000,
  /** Codes that one network may ask for in a window, and wrong user codes of one account. */
  requestsPerNetworkMax: 300,
  wrongCodesMax: 10,
  windowMs: 15 * 60 * 1_000,
  listedMax: 200,
  formBytesMax: 16_384,
  /** Rows are kept this long after they expired, so that the answer is `expired_token` rather than unknown. */
  keptMs: 24 * 60 * 60 * 1_000,
} as const;

/** Letters without vowels, so that no words appear; RFC 8628, section 6.1. */
export const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
export const userCodeLength = 8;

/** As a person types it: case, spaces and dashes do not matter. */
export const plainUserCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export const deviceCodeSchema = z.strictObject({ code: z.string().min(1).max(64) });
export const deviceAnswerSchema = z.strictObject({
  code: z.string().min(1).max(64),
  approve: z.boolean(),
  /** A team or project of the person, whose budget counts too. */
  unitId: z.string().min(1).max(100).optional(),
});

/** What the person sees before they answer. */
export interface DeviceRequestView {
  readonly code: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly address: string;
  readonly agent: string;
  readonly requestedAt: string;
  readonly expiresAt: string;
}

/** A program that is signed in. */
export interface SignedInProgramView {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly address: string;
  readonly agent: string;
  readonly tokenId: string;
  readonly createdAt: string;
  readonly refreshedAt: string;
  readonly expiresAt: string;
}
