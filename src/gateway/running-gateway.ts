/** A serving Weir, as the command that started it sees it. */

export interface Gateway {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly storeName: string;
  readonly firstToken: string | undefined;
  /** The URL for setting up the console; absent once that is done. */
  readonly setUpUrl: string | undefined;
  readonly sampleModel: string | undefined;
  providers(): readonly { readonly name: string; readonly origin: string; readonly models: number | undefined }[];
  modelCount(): number;
  /** The price tables with their age, and what to do if they are old. */
  prices(): Promise<{ readonly tables: string; readonly hint: string | undefined }>;
  /** Names this process's attempts in the ledger. */
  readonly instanceId: string;
  /** Of this process alone. */
  metrics(): Promise<string>;
  /** Reads the configuration again; a mistake is logged and changes nothing. */
  reload(): Promise<void>;
  /** Ends what another worker, which has ended, left open. */
  endInstance(instanceId: string): Promise<unknown>;
  /** Reports not ready at once, lets streams finish, writes the settlements, closes the port. */
  stop(): Promise<void>;
  stopAtOnce(): void;
}
