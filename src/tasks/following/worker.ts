/** Follows open tasks, in every replica: leases those that are due, a few of each provider at a time, and polls each. */

import type { Task } from '../task.ts';
import { followReply, type ReplyParts } from './follow-reply.ts';
import { type FollowParts, followTask } from './follow-task.ts';

export interface WorkerParts extends FollowParts, ReplyParts {
  /** Questions and downloads in flight to one provider. */
  readonly asksMax: number;
  /** How often due tasks are looked for. */
  readonly tickMs: number;
}

interface Held {
  readonly task: Task;
  readonly done: Promise<void>;
}

export class TaskWorker {
  readonly #parts: WorkerParts;
  readonly #held = new Map<string, Set<Held>>();
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), this.#parts.tickMs);
  }

  /** Tasks that this process follows right now. */
  get following(): number {
    let count = 0;
    for (const held of this.#held.values()) count += held.size;
    return count;
  }

  /** Takes what is due; never twice at a time. */
  look(): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    this.#looking ??= this.#takeDue()
      .catch((cause: unknown) => this.#parts.warn('Due tasks could not be read; retrying.', { cause }))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Nothing new is taken; what is held is given back at once, for another replica or the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort(new Error('Weir is shutting down.'));
    await this.#looking;
    const held = [...this.#held.values()].flatMap((each) => [...each]);
    await Promise.all(held.map(({ task, done }) => done.then(() => this.#giveBack(task))));
  }

  async #takeDue(): Promise<void> {
    const { store, wallMs, leaseMs, asksMax } = this.#parts;
    for (const provider of await store.dueProviders(wallMs())) {
      const held = this.#held.get(provider) ?? new Set<Held>();
      this.#held.set(provider, held);
      // A provider that hangs takes its own slots and no other provider's.
      const free = asksMax - held.size;
      if (free <= 0 || this.#stopping.signal.aborted) continue;
      for (const task of await store.claim(provider, wallMs(), leaseMs, free)) this.#follow(task, held);
    }
    for (const [provider, held] of this.#held) if (held.size === 0) this.#held.delete(provider);
  }

  #follow(task: Task, held: Set<Held>): void {
    const { warn } = this.#parts;
    const follow = task.terms.reply === undefined ? followTask : followReply;
    const entry: Held = {
      task,
      done: follow(this.#parts, task, this.#stopping.signal)
        // Its lease expires, and a worker takes it again.
        .catch((cause: unknown) => warn('A task could not be followed; retrying.', { task: task.id, cause }))
        .then(() => {
          held.delete(entry);
        }),
    };
    held.add(entry);
  }

  /** Where it was followed to its next step meanwhile, this finds another version and changes nothing. */
  async #giveBack({ id, version }: Task): Promise<void> {
    const { store, wallMs, warn } = this.#parts;
    await store
      .renew(id, version, wallMs())
      .catch((cause: unknown) =>
        warn('The lease of a task could not be released; it will expire.', { task: id, cause }),
      );
  }
}
