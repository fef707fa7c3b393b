/** Whether Weir can be reached: learned from every answer, and checked by itself while nothing is asked. */

export interface Connection {
  subscribe(listener: () => void): () => void;
  isLost(): boolean;
  /** Weir answered something. */
  answered(): void;
  /** A call had no answer: checked at once, because one failure may have been chance. */
  failed(): void;
  /** Checked now, without waiting for the next retry. */
  check(): Promise<void>;
  /** Begins to check while nothing is asked; what it returns ends that. */
  watch(): () => void;
}

interface ConnectionParts {
  /** Resolves to whether Weir answered. */
  reach(): Promise<boolean>;
  /** False while nobody can see the page: nothing is checked then. */
  isSeen(): boolean;
  nowMs(): number;
}

/** How long the page may go without an answer before Weir is asked whether it is there. */
const idleMs = 4_000;
const firstRetryMs = 1_000;
const retryMsMax = 10_000;

export function createConnection({ reach, isSeen, nowMs }: ConnectionParts): Connection {
  const listeners = new Set<() => void>();
  let isLost = false;
  let answeredAtMs = nowMs();
  let retryMs = firstRetryMs;
  let checking: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWatched = false;

  const become = (lost: boolean): void => {
    if (lost === isLost) return;
    isLost = lost;
    if (!lost) retryMs = firstRetryMs;
    for (const listener of [...listeners]) listener();
  };
  const answered = (): void => {
    answeredAtMs = nowMs();
    become(false);
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (!isWatched) return;
    timer = setTimeout(() => void tick(), isLost ? retryMs : idleMs);
  };
  const check = (): Promise<void> => {
    checking ??= reach()
      .then((isThere) => {
        if (isThere) answered();
        else if (isLost) retryMs = Math.min(2 * retryMs, retryMsMax);
        else become(true);
      })
      .finally(() => {
        checking = undefined;
        plan();
      });
    return checking;
  };
  const tick = async (): Promise<void> => {
    if (isSeen() && (isLost || nowMs() - answeredAtMs >= idleMs)) await check();
    else plan();
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isLost: () => isLost,
    answered,
    failed: () => void check(),
    check,
    watch() {
      isWatched = true;
      plan();
      return () => {
        isWatched = false;
        clearTimeout(timer);
      };
    },
  };
}
