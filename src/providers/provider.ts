/** The provider contract: declarations only. What a provider cannot do is not declared. */

/** Wire formats a provider may speak; each is a folder of `formats/`. */
export type FormatName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-completions'
  | 'anthropic-messages'
  | 'gemini-generate';

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
  readonly keyVariables: readonly string[];
  readonly auth: Auth;
  /** Path below the base address for each format it speaks. */
  readonly formats: Partial<Readonly<Record<FormatName, string>>>;
  /** Path that lists models; absent where there is none. */
  readonly modelsPath?: string;
  /** The provider's id in the price library, where it has one. */
  readonly priceProvider?: string;
  readonly quirks?: Quirks;
  /** A server on this machine, found by its port rather than by a key. */
  readonly local?: boolean;
}
