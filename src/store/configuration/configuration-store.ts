/** The store's contract for the console's configuration. The content of an entry and the sealing of a key are up to the writer. */

/** `pauses`: a provider that is configured elsewhere takes no new requests while there is an entry of its name. */
export type EntrySection = 'providers' | 'models' | 'prices' | 'pauses';

export interface EntryRow {
  readonly section: EntrySection;
  readonly name: string;
  /** JSON. */
  readonly entry: string;
  /** What of it may be a credential, sealed; absent where nothing is. */
  readonly sealed: string | undefined;
  /** Providers only: takes no new requests. */
  readonly draining: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly updatedBy: string;
}

export interface SealedKeyRow {
  readonly provider: string;
  readonly keyId: string;
  readonly sealed: string;
  /** The last characters, to distinguish several keys. */
  readonly ending: string | undefined;
  readonly createdAtMs: number;
}

export interface ConfigurationRows {
  readonly revision: number;
  /** The oldest first: order decides between patterns of prices, and which provider is tried first for a model. */
  readonly entries: readonly EntryRow[];
  readonly keys: readonly SealedKeyRow[];
}

export interface SealedKey {
  readonly keyId: string;
  readonly sealed: string;
  readonly ending: string | undefined;
}

/** Who changed something, and when. */
export interface EntryChange {
  readonly section: EntrySection;
  readonly name: string;
  readonly atMs: number;
  readonly by: string;
}

export interface NewProviderRow extends EntryChange {
  readonly entry: string;
  readonly sealed: string | undefined;
  readonly keys: readonly SealedKey[];
}

export interface ProviderRowChange extends EntryChange {
  /** Absent: stays as it is. */
  readonly entry?: { readonly text: string; readonly sealed: string | undefined } | undefined;
  readonly draining?: boolean | undefined;
  readonly addKeys: readonly SealedKey[];
  /** `all`: also one that was added in the meantime. */
  readonly removeKeys: readonly string[] | 'all';
}

export interface ConfigurationStore {
  /** Grows with every change of any process. */
  revision(): Promise<number>;
  read(): Promise<ConfigurationRows>;
  /** False where the name is taken. */
  addProvider(row: NewProviderRow): Promise<boolean>;
  /** False where there is none of the name. */
  changeProvider(change: ProviderRowChange): Promise<boolean>;
  /** Makes an entry or replaces it. */
  put(row: EntryChange & { readonly entry: string }): Promise<void>;
  /** With its keys, where it is a provider. False where there was none. */
  remove(section: EntrySection, name: string): Promise<boolean>;
}
