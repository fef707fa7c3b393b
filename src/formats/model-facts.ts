/** What is known of a served model, for the model lists of every format. */

export interface ModelFacts {
  readonly id: string;
  readonly createdAtMs: number;
  readonly providers: readonly string[];
  readonly contextTokens: number | undefined;
  readonly inputModalities: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  /** `converse`, `embed`, `make-image`, …: what it can be asked for. */
  readonly operations?: readonly string[] | undefined;
  readonly description: string | undefined;
  /** USD per token as decimal strings, so that no digit is lost. */
  readonly pricing: { readonly prompt: string; readonly completion: string } | undefined;
}
