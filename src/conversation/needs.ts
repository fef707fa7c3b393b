/** What a request asks of the model that answers it, so that a target which cannot do it is never tried. */

export interface Needs {
  readonly image: boolean;
  readonly audio: boolean;
  readonly video: boolean;
  /** A document that is neither image, audio nor video. */
  readonly file: boolean;
  /** Tools may be called. */
  readonly tools: boolean;
  /** The reply must be JSON, of a given shape or of any. */
  readonly structured: boolean;
}

/** The value for most requests; shared, so that it costs no memory. */
export const noNeeds: Needs = Object.freeze({
  image: false,
  audio: false,
  video: false,
  file: false,
  tools: false,
  structured: false,
});

export type MediaNeed = 'image' | 'audio' | 'video' | 'file';

/** Collects the kinds of media in a conversation; once all are found, the reader can stop. */
export class MediaNeeds {
  #image = false;
  #audio = false;
  #video = false;
  #file = false;

  add(kind: MediaNeed): void {
    if (kind === 'image') this.#image = true;
    else if (kind === 'audio') this.#audio = true;
    else if (kind === 'video') this.#video = true;
    else this.#file = true;
  }

  get complete(): boolean {
    return this.#image && this.#audio && this.#video && this.#file;
  }

  with(tools: boolean, structured: boolean): Needs {
    if (!tools && !structured && !this.#image && !this.#audio && !this.#video && !this.#file) return noNeeds;
    return { image: this.#image, audio: this.#audio, video: this.#video, file: this.#file, tools, structured };
  }
}
