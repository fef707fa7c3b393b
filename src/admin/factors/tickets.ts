/**
 * Tickets between two steps: signed, short-lived, each for one use. Only a use is stored, so that callers without a
 * session cannot fill the database. A ticket's bytes are also the challenge that a passkey signs.
 */

import { createHash } from 'node:crypto';
import type { Signing } from '../../secrets/signing.ts';
import type { FactorStore } from '../../store/factors/factor-store.ts';
import { randomText } from '../accounts/sessions.ts';
import { factorBounds } from '../contracts/factor-contract.ts';

type TicketKind = 'second-factor' | 'passkey-sign-in' | 'passkey-registration';

export interface Tickets {
  issue(kind: TicketKind, claims: readonly string[]): string;
  /** What it was issued with; undefined where it was not issued here for this, or has expired. */
  read(kind: TicketKind, ticket: string): Promise<readonly string[] | undefined>;
  /** False where it was spent before. */
  spend(ticket: string): Promise<boolean>;
}

interface TicketsOptions {
  readonly signing: Signing;
  readonly used: Pick<FactorStore, 'useTicket'>;
  readonly nowMs: () => number;
}

const separator = '.';

export function createTickets({ signing, used, nowMs }: TicketsOptions): Tickets {
  return {
    issue(kind, claims) {
      const content = [kind, nowMs() + factorBounds.ticketLifetimeMs, randomText(), ...claims];
      const text = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${text}${separator}${signing.sign(text)}`;
    },
    async read(kind, ticket) {
      // Its use and its tries are counted by its text: a second spelling would be a second ticket.
      const [text = '', signature = '', ...more] = ticket.split(separator);
      if (more.length > 0) return undefined;
      if (!(await signing.isSigned(text, signature))) return undefined;
      const [given, expiresAtMs, , ...claims] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
        string,
        number,
        ...string[],
      ];
      return given === kind && expiresAtMs > nowMs() ? claims : undefined;
    },
    spend: (ticket) => used.useTicket(ticketDigest(ticket), nowMs() + factorBounds.ticketLifetimeMs),
  };
}

export const ticketDigest = (ticket: string): string => createHash('sha256').update(ticket).digest('hex');

/** As WebAuthn has it, in base64url. */
export const challengeOf = (ticket: string): string => Buffer.from(ticket).toString('base64url');
export const ticketOfChallenge = (challenge: string): string => Buffer.from(challenge, 'base64url').toString();
