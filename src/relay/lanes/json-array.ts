/** Shows a stream of events as one JSON array that grows, for clients that did not ask for events. */

import type { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { WrittenText } from '../../conversation/texts/written-text.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ProviderFault } from '../../formats/format.ts';
import { type Frame, FrameReader } from '../../upstream/frame-reader.ts';
import type { Passage } from './lane.ts';

const encoder = new TextEncoder();

/** Events that make up a whole stream, as the array they are. */
export function jsonArrayOf(events: string): string {
  const entries: string[] = [];
  new FrameReader(events.length * 3 + 1).push(encoder.encode(events), ({ data }) => {
    if (data !== undefined) entries.push(data);
  });
  return `[${entries.join(',\r\n')}]`;
}

export class JsonArrayPassage implements Passage {
  readonly #events: Passage;
  readonly #frames: FrameReader;
  #open = false;
  #closed = false;
  #text = '';

  constructor(events: Passage, eventBytesMax: number) {
    this.#events = events;
    this.#frames = new FrameReader(eventBytesMax);
  }

  take(frame: Frame): Uint8Array | undefined | 'fault' {
    const bytes = this.#events.take(frame);
    if (bytes === 'fault') return bytes;
    if (bytes !== undefined) this.#frames.push(bytes, this.#onFrame);
    return this.#events.ended ? this.#close() : this.#collected();
  }

  finish(): Uint8Array | undefined {
    const bytes = this.#events.finish();
    if (bytes !== undefined) this.#frames.push(bytes, this.#onFrame);
    return this.#close();
  }

  failureText(error: GatewayError): string {
    this.#frames.push(encoder.encode(this.#events.failureText(error)), this.#onFrame);
    const text = this.#text;
    this.#text = '';
    this.#closed = true;
    return `${text}]`;
  }

  readonly #onFrame = ({ data }: Frame): void => {
    if (data === undefined) return;
    this.#text += (this.#open ? ',\r\n' : '[') + data;
    this.#open = true;
  };

  #close(): Uint8Array | undefined {
    if (this.#closed) return undefined;
    this.#closed = true;
    this.#text += this.#open ? ']' : '[]';
    return this.#collected();
  }

  #collected(): Uint8Array | undefined {
    if (this.#text === '') return undefined;
    const bytes = encoder.encode(this.#text);
    this.#text = '';
    return bytes;
  }

  get ended(): boolean {
    return this.#events.ended;
  }

  get finished(): boolean {
    return this.#events.finished;
  }

  get fault(): ProviderFault | undefined {
    return this.#events.fault;
  }

  get usage(): Usage {
    return this.#events.usage;
  }

  get usageIsFinal(): boolean {
    return this.#events.usageIsFinal;
  }

  get written(): WrittenText {
    return this.#events.written;
  }

  get losses(): readonly Loss[] {
    return this.#events.losses;
  }
}
