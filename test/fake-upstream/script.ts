/** What a test asks the scripted provider to do with one request: data only, so that it can travel inside a message. */

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface Script {
  /** Shown in the invoice, so that a test finds its own request again. */
  readonly nonce?: string;
  /** Length of the reply in tokens; a stream sends each as one delta. */
  readonly deltas?: number;
  readonly paceMs?: number;
  /** Deltas read `<mark>.<index> ` instead of plain words: shows replies that were mixed up. */
  readonly mark?: string;
  /** Each delta is filled up to about this many bytes. */
  readonly deltaBytes?: number;
  /** The whole reply's text instead of generated words. */
  readonly text?: string;
  /** Answer with a call of this tool until a tool result is in the conversation. */
  readonly toolCall?: { readonly name: string; readonly arguments: string };
  /** `asked` (a stream reports usage only with `include_usage`) is the default. */
  readonly usage?: 'asked' | 'always' | 'absent' | 'zero' | 'doubled' | 'negative';
  /** What happens instead of a reply's head; a delay comes first. */
  readonly headDelayMs?: number;
  /** Silence between the head of a stream and its first event. */
  readonly eventDelayMs?: number;
  readonly head?: 'never' | 'end' | 'reset';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of an error, an HTML page, or any other whole reply. */
  readonly body?: string;
  readonly contentType?: string;
  /** These very bytes, each piece in a write of its own: nothing is generated. */
  readonly piecesBase64?: readonly string[];
  /** Send `piecesBase64` with a length instead of chunked. */
  readonly whole?: boolean;
  readonly gzip?: boolean;
  /** Break off after so many deltas: a clean end, a chunked body left open, or a reset. */
  readonly cut?: { readonly after: number; readonly how: 'end' | 'truncate' | 'reset' | 'stall' };
  /** The first event of the stream is an error object. */
  readonly errorFirst?: boolean;
}

export interface ChatBody {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly stream_options?: { readonly include_usage?: unknown } | null;
  readonly messages?: readonly { readonly role?: unknown; readonly content?: unknown }[];
}

const directive = /\[\[(\{.*\})\]\]/s;

/** Wraps a script so that it can be put into any message's text. */
export function scriptText(script: Script): string {
  return `[[${JSON.stringify(script)}]]`;
}

/** The script that the conversation itself carries, if it does; the last one wins. */
export function scriptOf(body: ChatBody): Script | undefined {
  const texts = textsOf(body);
  for (let index = texts.length - 1; index >= 0; index--) {
    const found = directive.exec(texts[index] ?? '');
    if (found?.[1] !== undefined) return JSON.parse(found[1]) as Script;
  }
  return undefined;
}

export function textsOf(body: ChatBody): string[] {
  if (!Array.isArray(body.messages)) return [];
  return body.messages.flatMap((message: { content?: unknown } | null) => {
    const content = message?.content;
    if (typeof content === 'string') return [content];
    if (!Array.isArray(content)) return [];
    return content.flatMap((part: { text?: unknown }) => (typeof part?.text === 'string' ? [part.text] : []));
  });
}

/** The provider's own way of counting a prompt: a quarter of its characters, at least one. */
export function promptTokensOf(body: ChatBody): number {
  const characters = textsOf(body).reduce((sum, text) => sum + text.length, 0);
  return Math.max(1, Math.ceil(characters / 4));
}

/** Every one of these is one token for the tokenizers in use, also when they follow each other. */
const words = [' the', ' of', ' and', ' to', ' in', ' is', ' that', ' for', ' on', ' with'];

export function deltaText(script: Script, index: number): string {
  const text = script.mark === undefined ? (words[index % words.length] ?? ' the') : `${script.mark}.${index} `;
  const missing = (script.deltaBytes ?? 0) - text.length;
  return missing > 0 ? text + 'x'.repeat(missing) : text;
}
