/**
 * Reads the configuration again while Weir runs: on a signal, and when the file has changed. It is checked as at start;
 * a mistake is logged, and what was in effect stays.
 */

import { changesOf } from '../config/changed-settings.ts';
import { ConfigError, describeProblem } from '../config/problem.ts';
import type { Config } from '../settings/config.ts';

type Say = (message: string, details: Readonly<Record<string, unknown>>) => void;

interface ReloadParts {
  /** As it was loaded at start. */
  readonly given: Config;
  /** Throws ConfigError with all mistakes. */
  load(): Config;
  /** Differs where the file may have changed. */
  identity(given: Config): Promise<string>;
  /** Puts its live part into effect. */
  apply(config: Config): Promise<void>;
  readonly logger: { readonly info: Say; readonly warn: Say; readonly error: Say };
  /** Others that read it too. */
  beforeRead?(): void;
}

export class ConfigurationReload {
  readonly #parts: ReloadParts;
  /** What is in effect, besides settings that wait for a start. */
  #current: Config;
  #fault: string | undefined;
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #applied: string | undefined;
  #seen: string | undefined;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#current = parts.given;
  }

  /** Why the file as it is now is not in effect. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Never fails. One reading at a time; those that ask meanwhile share the next one. */
  reload(): Promise<void> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      this.#running = this.#read();
      return this.#running;
    });
    return this.#waiting;
  }

  /** Reads the file again when it has changed and is the same at two looks, so that half a file is not read. */
  async poll(): Promise<void> {
    const identity = await this.#parts.identity(this.#parts.given);
    // It may have changed since the start read it.
    if (this.#applied === undefined) this.#applied = this.#isAsAtStart() ? identity : 'not yet';
    const isWritten = identity === this.#seen;
    this.#seen = identity;
    if (!isWritten || identity === this.#applied) return;
    this.#applied = identity;
    await this.reload();
  }

  #isAsAtStart(): boolean {
    const { given, load } = this.#parts;
    try {
      const { live, atStart } = changesOf(given, load());
      return live.length === 0 && atStart.length === 0;
    } catch {
      return false;
    }
  }

  async #read(): Promise<void> {
    const { logger, apply, load } = this.#parts;
    this.#parts.beforeRead?.();
    try {
      const config = load();
      if (config.server.configFile === undefined && this.#parts.given.server.configFile !== undefined)
        return this.#keep([`The file ${this.#parts.given.server.configFile} is gone.`]);
      const changes = changesOf(this.#current, config);
      await apply(config);
      this.#current = config;
      this.#fault = undefined;
      const changed = changes.live.join('; ') || 'nothing';
      logger.info('The configuration was read again.', { changed });
      const atStart = changesOf(this.#parts.given, config).atStart;
      if (atStart.length > 0)
        logger.warn('Some settings were changed that take effect at the next start.', { settings: atStart.join(', ') });
    } catch (error) {
      if (error instanceof ConfigError) this.#keep(error.problems.map(describeProblem));
      else this.#tryAgain(error);
    }
  }

  /** A database that does not answer, for example; said once. */
  #tryAgain(cause: unknown): void {
    this.#applied = 'not yet';
    const fault = cause instanceof Error ? cause.message : String(cause);
    if (fault !== this.#fault)
      this.#parts.logger.error('The configuration could not be put into effect; the next look tries again.', { cause });
    this.#fault = fault;
  }

  #keep(mistakes: readonly string[]): void {
    this.#fault = mistakes.join('\n');
    for (const mistake of mistakes)
      this.#parts.logger.error('The configuration has a mistake and is not used; what was in effect stays.', {
        mistake,
      });
  }
}
