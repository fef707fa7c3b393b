/** What a request names that lies elsewhere: things that a provider keeps, and servers that a provider is to call. */

export type ReferenceKind =
  | 'response'
  | 'conversation'
  | 'item'
  | 'prompt'
  | 'file'
  | 'vector store'
  | 'container'
  | 'cache'
  | 'skill'
  | 'audio';

/** The id of something that a provider keeps under the operator's key. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly id: string;
  /** The field that names it, for errors about it. */
  readonly param: string;
}

/** A server that the provider is asked to call: its URL, or the name of a connector of the provider's own. */
export interface Outbound {
  readonly target: string;
  readonly param: string;
}

export interface References {
  readonly ids: readonly Reference[];
  readonly outbound: readonly Outbound[];
}
