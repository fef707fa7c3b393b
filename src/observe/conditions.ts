/**
 * What is wrong with this process while it continues to serve: a wrong clock, a Redis that cannot be used, records that could not be
 * written. Each is said once when it begins and once when it ends, and the readiness probe, the metrics, `weir doctor` and alerts show
 * it in between.
 */

export const conditionKinds = ['clock', 'redis', 'records'] as const;
export type ConditionKind = (typeof conditionKinds)[number];

export interface Condition {
  readonly kind: ConditionKind;
  /** What is wrong and what to do, as one or two sentences. */
  readonly text: string;
}

interface ConditionLog {
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
  info(message: string, details: Readonly<Record<string, unknown>>): void;
}

export class Conditions {
  readonly #texts = new Map<ConditionKind, string>();
  #log: ConditionLog | undefined;

  /** What was found before there was a log is said now. */
  tell(log: ConditionLog): void {
    this.#log = log;
    for (const [kind, text] of this.#texts) log.warn(text, { condition: kind });
  }

  /** `text` is undefined once nothing is wrong. A text that changes while it lasts is not said again. */
  set(kind: ConditionKind, text: string | undefined): void {
    const before = this.#texts.get(kind);
    if (text === undefined) {
      this.#texts.delete(kind);
      if (before !== undefined) this.#log?.info('This is over.', { condition: kind, was: before });
      return;
    }
    this.#texts.set(kind, text);
    if (before === undefined) this.#log?.warn(text, { condition: kind });
  }

  get all(): readonly Condition[] {
    return Array.from(this.#texts, ([kind, text]) => ({ kind, text }));
  }
}
