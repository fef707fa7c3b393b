/** Passwords of accounts: hashed with argon2id, verified in the same time with and without an account, a few at once. */

import { GatewayError } from '../../conversation/gateway-error.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash it takes as long and is wrong: the time does not reveal whether an account exists. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** For another person to use once; easy to read out and to type. */
  make(): string;
}

/** OWASP's minimum: 19 MiB and two passes, about 30 ms of one core. */
const cost = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;
/** A hash of the same cost that no password has. */
const dummyHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$${'A'.repeat(43)}$${'B'.repeat(42)}A`;

/** Each takes its memory while it runs, and unauthenticated callers decide how many there are. */
const atOnceMax = 4;
const waitingMax = 100;

const madeAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
/** About 99 bits. */
const madeGroups = 5;
const madeGroupLength = 4;

export function createPasswords(): Passwords {
  const inTurn = createTurns(atOnceMax, waitingMax);
  return {
    hash: (password) => inTurn(() => Bun.password.hash(plain(password), cost)),
    async verify(password, hash) {
      // The account of a person who signs in through an issuer has an empty hash.
      const known = hash === '' ? undefined : hash;
      const right = await inTurn(() => Bun.password.verify(plain(password), known ?? dummyHash));
      return right && known !== undefined;
    },
    make: () => groupedText(madeGroups),
  };
}

/** Two keyboards may produce different code points for the same letter. */
const plain = (password: string): string => password.normalize('NFKC');

type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns(most: number, waitingMost: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= most) {
      if (waiting.length >= waitingMost) {
        throw new GatewayError('gateway_overloaded', 'Too many sign-ins at the moment. Try again shortly.');
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** Random, easy to read out and to type: about 20 bits for each group. */
export function groupedText(count: number): string {
  const groups = Array.from({ length: count }, () =>
    Array.from({ length: madeGroupLength }, () => madeAlphabet[randomBelow(madeAlphabet.length)]).join(''),
  );
  return groups.join('-');
}

/** Bytes that would favor the first letters are discarded. */
function randomBelow(most: number): number {
  const limit = 256 - (256 % most);
  for (;;) {
    const byte = crypto.getRandomValues(new Uint8Array(1))[0] ?? 255;
    if (byte < limit) return byte % most;
  }
}
