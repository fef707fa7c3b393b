/** A conversation that exceeds the model's context: its size and the limit, if the provider's message states them. */

export interface ContextOverflow {
  /** Absent where the provider did not count, or not in tokens. */
  readonly counted?: { readonly tokens: number; readonly tokensMax: number };
}

/** The text before or after the number that is the model's limit. */
const limits: readonly RegExp[] = [
  /> ?(\d{3,9})\b/,
  /\b(?:maximum|max) (?:context|prompt|input|sequence) (?:length|size|window)(?: is| of|:)? ?\(?(\d{3,9})/i,
  /\b(?:maximum number of tokens allowed|maximum|available context size|context (?:size|length|window|limit)|limit)(?: is| of|:)? ?\(?(\d{3,9})/i,
  /\b(\d{3,9}) (?:tokens? )?(?:maximum|limit)\b/i,
];

export function readOverflow(message: string): ContextOverflow {
  const said = message.slice(0, messageMax).replace(/(\d),(?=\d{3}\b)/g, '$1');
  const found = limits.map((pattern) => pattern.exec(said)?.[1]).find((digits) => digits !== undefined);
  if (found === undefined || /\bbytes\b/i.test(said)) return {};
  const tokensMax = Number(found);
  const numbers = [...said.matchAll(/\b\d{3,9}\b/g)].map(([digits]) => Number(digits));
  const tokens = Math.max(...numbers);
  return tokens > tokensMax ? { counted: { tokens, tokensMax } } : {};
}

const messageMax = 2_000;

/** The word that programs of one family of formats look for; some providers say it in a reply or a stream that failed. */
export const overflowCode = 'context_length_exceeded';

/** What an error says of it; `GatewayError` has these fields. */
interface OverflowSource {
  readonly overflow: ContextOverflow | undefined;
  readonly providerCode: string | undefined;
  readonly message: string;
}

export function overflowOf({ overflow, providerCode, message }: OverflowSource): ContextOverflow | undefined {
  if (overflow !== undefined) return overflow;
  return providerCode === overflowCode ? readOverflow(message) : undefined;
}
