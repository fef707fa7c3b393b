/**
 * Finds the parts of a form in its bytes, however these are split, in linear time and without keeping them: the result
 * is heads and byte ranges. Every occurrence of the boundary must be a delimiter. What only some servers read as a
 * delimiter is refused, so that a caller cannot hide a field from Weir and show it to the provider.
 */

import type { FormLimits } from './limits.ts';
import { type PartHead, readPartHead } from './part-head.ts';
import { brokenOff, malformed, tooLarge } from './refusals.ts';

/** Positions count from the body's first byte. */
export interface ScannedPart extends PartHead {
  readonly contentStart: number;
  readonly contentEnd: number;
}

export interface ScannedForm {
  readonly parts: readonly ScannedPart[];
  /** Where the first delimiter begins: after the preamble. */
  readonly firstDelimiterAt: number;
  /** The line ending; all lines must have the same. */
  readonly lineEnd: LineEnd;
}

type LineEnd = '\r\n' | '\n';

type State = 'preamble' | 'head' | 'content' | 'closing' | 'epilogue';

interface Found {
  /** Where the delimiter begins, from the body's start. */
  readonly at: number;
  /** Where in the piece the bytes after it begin. */
  readonly next: number;
  readonly before: LineEnd | undefined;
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const dash = 0x2d;

export class FormScanner {
  readonly #limits: FormLimits;
  readonly #marker: Buffer;
  /** The last bytes before the current piece, then its first: a delimiter may be split between them. */
  readonly #seam: Buffer;
  #seamBytes = 0;
  /** What follows a delimiter, up to the blank line. */
  readonly #head: Buffer;
  #headBytes = 0;
  #state: State = 'preamble';
  #lineEnd: LineEnd | undefined;
  #firstBreak: LineEnd | undefined;
  #firstDelimiterAt = 0;
  readonly #parts: ScannedPart[] = [];
  #current: PartHead | undefined;
  /** Start of the current section: content, preamble or epilogue. */
  #stretchStart = 0;
  /** How much of the body came before the current piece. */
  #pieceStart = 0;
  #fieldsBytes = 0;

  constructor(boundary: string, limits: FormLimits) {
    this.#limits = limits;
    this.#marker = Buffer.from(`--${boundary}`, 'latin1');
    this.#seam = Buffer.allocUnsafe(2 * (this.#marker.length + 1));
    // A line break before the header lines, a line break and a blank line after them.
    this.#head = Buffer.allocUnsafe(limits.partHeadBytesMax + 6);
  }

  push(bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { totalBytesMax } = this.#limits;
    if (this.#pieceStart + piece.length > totalBytesMax) throw tooLarge('The form', totalBytesMax);
    let at = 0;
    while (at < piece.length) at = this.#step(piece, at);
    this.#pieceStart += piece.length;
  }

  end(): ScannedForm {
    if (this.#state === 'epilogue') this.#checkStretch(this.#pieceStart);
    else if (this.#state !== 'closing') throw brokenOff();
    return {
      parts: this.#parts,
      firstDelimiterAt: this.#firstDelimiterAt,
      lineEnd: this.#lineEnd ?? '\r\n',
    };
  }

  #step(piece: Buffer, at: number): number {
    if (this.#state === 'head') return this.#takeHead(piece, at);
    if (this.#state === 'closing') return this.#takeClosing(piece, at);
    const found = this.#find(piece, at);
    if (found === undefined) {
      this.#checkStretch(this.#pieceStart + piece.length - this.#marker.length - 1);
      this.#keepSeam(piece, at);
      return piece.length;
    }
    this.#delimiter(found);
    return found.next;
  }

  #find(piece: Buffer, at: number): Found | undefined {
    const marker = this.#marker;
    if (this.#seamBytes > 0) {
      const joined = this.#seamBytes + piece.copy(this.#seam, this.#seamBytes, at, at + marker.length + 1);
      const index = this.#seam.subarray(0, joined).indexOf(marker);
      if (index >= 0) {
        const offset = index - this.#seamBytes;
        const next = at + offset + marker.length;
        return { at: this.#pieceStart + at + offset, next, before: breakBefore(this.#seam, index, 0) };
      }
    }
    const index = piece.indexOf(marker, at);
    if (index < 0) return undefined;
    return { at: this.#pieceStart + index, next: index + marker.length, before: breakBefore(piece, index, at) };
  }

  /** Only the end of the searched bytes can be part of a delimiter, with the line break before it. */
  #keepSeam(piece: Buffer, at: number): void {
    const keep = this.#marker.length + 1;
    const fresh = piece.length - at;
    if (fresh >= keep) {
      this.#seamBytes = piece.copy(this.#seam, 0, piece.length - keep);
      return;
    }
    const old = Math.min(this.#seamBytes, keep - fresh);
    this.#seam.copyWithin(0, this.#seamBytes - old, this.#seamBytes);
    this.#seamBytes = old + piece.copy(this.#seam, old, at);
  }

  #delimiter(found: Found): void {
    if (this.#state === 'epilogue') throw malformed('The form continues after its end.');
    if (this.#state === 'preamble') {
      if (found.before === undefined && found.at !== 0) throw malformed('The boundary is in the middle of a line.');
      this.#firstBreak = found.before;
      this.#firstDelimiterAt = found.at;
      this.#checkStretch(found.at);
    } else {
      if (found.before === undefined || found.before !== this.#lineEnd) {
        throw malformed("The boundary is inside a part's content.", this.#current?.name);
      }
      this.#endPart(found.at - found.before.length);
    }
    this.#state = 'head';
    this.#headBytes = 0;
    this.#seamBytes = 0;
  }

  #endPart(contentEnd: number): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#checkStretch(contentEnd);
    if (!current.isFile) this.#fieldsBytes += contentEnd - this.#stretchStart;
    this.#parts.push({ ...current, contentStart: this.#stretchStart, contentEnd });
    this.#current = undefined;
  }

  /** Refuses a section as soon as it is too long. */
  #checkStretch(end: number): void {
    const bytes = end - this.#stretchStart;
    const { fieldBytesMax, fieldsBytesMax, fileBytesMax, partHeadBytesMax } = this.#limits;
    const current = this.#current;
    if (current === undefined) {
      if (bytes <= partHeadBytesMax) return;
      throw malformed(
        this.#state === 'preamble' ? 'The boundary is not in the body.' : 'The form continues after its end.',
      );
    }
    const { name } = current;
    if (current.isFile) {
      if (bytes > fileBytesMax) throw tooLarge(`The file ${name}`, fileBytesMax, name);
      return;
    }
    if (bytes > fieldBytesMax) throw tooLarge(`The field ${name}`, fieldBytesMax, name);
    if (this.#fieldsBytes + bytes > fieldsBytesMax)
      throw tooLarge('What the fields hold together', fieldsBytesMax, name);
  }

  #takeHead(piece: Buffer, at: number): number {
    const before = this.#headBytes;
    this.#headBytes += piece.copy(this.#head, before, at);
    const head = this.#head.subarray(0, this.#headBytes);
    if (head.length < 2) return piece.length;
    if (head[0] === dash && head[1] === dash) {
      this.#state = 'closing';
      return at + 2 - before;
    }
    const lineEnd = this.#lineEndOf(head);
    const blankAt = lineEnd === undefined ? -1 : head.indexOf(lineEnd + lineEnd, Math.max(0, before - 3));
    if (lineEnd === undefined || blankAt < 0) {
      if (head.length === this.#head.length) {
        throw malformed(`A part's head is larger than ${this.#limits.partHeadBytesMax} bytes.`);
      }
      return piece.length;
    }
    this.#beginPart(head.subarray(0, blankAt), lineEnd);
    const next = at + blankAt + 2 * lineEnd.length - before;
    this.#stretchStart = this.#pieceStart + next;
    return next;
  }

  /** The first line break decides for the whole form. */
  #lineEndOf(head: Buffer): LineEnd | undefined {
    if (this.#lineEnd !== undefined) return this.#lineEnd;
    const at = head.indexOf(lineFeed);
    if (at < 0) return undefined;
    this.#lineEnd = head[at - 1] === carriageReturn ? '\r\n' : '\n';
    if (this.#firstBreak !== undefined && this.#firstBreak !== this.#lineEnd)
      throw malformed('The form mixes different line endings.');
    return this.#lineEnd;
  }

  #beginPart(block: Buffer, lineEnd: LineEnd): void {
    if (this.#parts.length >= this.#limits.partsMax) {
      throw malformed(`The form has more than ${this.#limits.partsMax} parts.`);
    }
    const lineAt = block.indexOf(lineEnd);
    const padding = block.toString('latin1', 0, lineAt < 0 ? block.length : lineAt);
    if (/[^ \t]/.test(padding)) throw malformed('A line begins with the boundary and has more text after it.');
    if (block.includes(this.#marker)) throw malformed("The boundary is inside a part's head.");
    const lines = lineAt < 0 ? block.subarray(block.length) : block.subarray(lineAt + lineEnd.length);
    this.#current = readPartHead(lines, lineEnd, this.#limits);
    this.#state = 'content';
  }

  #takeClosing(piece: Buffer, at: number): number {
    const next = piece[at] ?? 0;
    if (![0x20, 0x09, carriageReturn, lineFeed].includes(next))
      throw malformed('The last boundary has more text after it.');
    this.#state = 'epilogue';
    this.#stretchStart = this.#pieceStart + at;
    return at + 1;
  }
}

function breakBefore(bytes: Buffer, index: number, from: number): LineEnd | undefined {
  if (index - 1 < from || bytes[index - 1] !== lineFeed) return undefined;
  return index - 2 >= from && bytes[index - 2] === carriageReturn ? '\r\n' : '\n';
}
