/** The provider contract: declarations only. What a provider cannot do is not declared. */

import type { FormatName } from '../formats/format.ts';

export type { FormatName };

export type Auth =
  | { readonly style: 'bearer' }
  | { readonly style: 'header'; readonly header: string; readonly prefix?: string }
  | { readonly style: 'none' };

/** Deviations from the plain format, as data that the patch lane and the tap read. Absent means none. */
export interface Quirks {
  /** Rejects `stream_options`; usage comes unasked or not at all. */
  readonly rejectsStreamOptions?: boolean;
  /** Where streamed usage hides when it is not at the top: `x_groq`. */
  readonly usageInside?: string;
}

export interface ProviderPreset {
  readonly name: string;
  readonly label: string;
  /** With its version path. `{account}`-like holes must be filled by configuration. */
  readonly baseUrl: string;
  /** Variables that complete an address with a hole; the first one set stands for `{value}` in its template. */
  readonly baseUrlFrom?: readonly { readonly variable: string; readonly template: string }[];
  readonly keyVariables: readonly string[];
  /** The key variable serves other purposes too, so its presence alone is no wish to use this provider. */
  readonly keyVariableIsShared?: boolean;
  readonly auth: Auth;
  /** Path below the base address for each format it speaks. */
  readonly formats: Partial<Readonly<Record<FormatName, string>>>;
  /** Path that lists models; absent where there is none. */
  readonly modelsPath?: string;
  /** The provider's id in the price library, where it has one. */
  readonly priceProvider?: string;
  readonly quirks?: Quirks;
  /** Headers that every request needs beside the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A server on this machine, found by its port rather than by a key; a key is sent only where one is configured. */
  readonly local?: boolean;
}
