/** Ids of tool calls in the target's alphabet: made from the original alone, so that the same id becomes the same one in every turn. */

import { createHash } from 'node:crypto';
import type { ConversationRules } from './rules.ts';

type IdRule = NonNullable<ConversationRules['callId']>;

/** Any id will do as long as there is one. */
const anyId: IdRule = { pattern: /./s, charactersMax: Number.POSITIVE_INFINITY };

/** Enough characters that two ids never meet by chance. */
const charactersWanted = 24;
const charactersMax = 256;

interface Form {
  readonly prefix: string;
  readonly digits: number;
}

export class CallIds {
  readonly #rule: IdRule;
  readonly #taken = new Set<string>();
  /** Looked for when the first id has to be made, which is seldom. */
  #form: Form | undefined;

  constructor(rule: IdRule = anyId) {
    this.#rule = rule;
  }

  fits(id: string): boolean {
    return id !== '' && id.length <= this.#rule.charactersMax && this.#rule.pattern.test(id);
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  take(id: string): string {
    this.#taken.add(id);
    return id;
  }

  /** A new id that replaces `origin`; distinct origins get distinct ids even where the alphabet leaves little room. */
  make(origin: string): string {
    this.#form ??= this.#fittingForm();
    const { prefix, digits } = this.#form;
    for (let attempt = 0; ; attempt += 1) {
      const id = prefix + digitsOf(attempt === 0 ? origin : `${origin}\0${attempt}`, digits);
      if (!this.#taken.has(id)) return this.take(id);
    }
  }

  #fittingForm(): Form {
    const most = this.#rule.charactersMax;
    const plain = { prefix: '', digits: Math.min(charactersWanted, most) };
    const forms = [
      { prefix: 'call_', digits: Math.min(charactersWanted, most - 5) },
      plain,
      // Some formats want ids of one length only.
      { prefix: '', digits: Math.min(charactersMax, most) },
    ];
    return forms.find(({ prefix, digits }) => digits >= 8 && this.fits(prefix + digitsOf('', digits))) ?? plain;
  }
}

/** Letters and digits, as many as asked for. */
function digitsOf(origin: string, characters: number): string {
  let digits = '';
  for (let round = 0; digits.length < characters; round += 1) {
    const hash = createHash('sha256').update(`${round}\0${origin}`).digest('base64url');
    digits += hash.replaceAll(/[-_]/g, '');
  }
  return digits.slice(0, characters);
}
