/** Changes to a body that stays in its format, collected field by field; what is not named keeps its bytes. */

import type { Tree } from '../conversation/json-tree.ts';
import { LossList } from '../conversation/loss-list.ts';
import type { ExactFields, Fitting } from './format.ts';

/** The fields of one object with their changes; `undefined` leaves a field out. */
export class FieldChanges {
  readonly made = new Map<string, unknown>();
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  get(name: string): unknown {
    return this.made.has(name) ? this.made.get(name) : this.#tree[name];
  }

  set(name: string, value: unknown): void {
    this.made.set(name, value);
  }

  remove(name: string): void {
    if (this.#tree[name] === undefined) this.made.delete(name);
    else this.made.set(name, undefined);
  }

  /** The changes put into an object that is to be printed. */
  appliedTo(tree: Tree): Tree {
    const changed: Record<string, unknown> = { ...tree };
    for (const [name, value] of this.made) {
      if (value === undefined) delete changed[name];
      else changed[name] = value;
    }
    return changed;
  }
}

export class BodyChanges extends FieldChanges {
  readonly losses = new LossList();
  readonly #tree: Tree;
  readonly #exact: ExactFields | undefined;

  constructor(tree: Tree, exact: ExactFields | undefined) {
    super(tree);
    this.#tree = tree;
    this.#exact = exact;
  }

  /** A field that is printed again with something changed inside; its numbers print as they were spelled. */
  exactly(name: string): unknown {
    return this.#exact === undefined ? this.#tree[name] : this.#exact.exactly(name);
  }

  /** Undefined where nothing has to change. */
  get fitting(): Fitting | undefined {
    if (this.made.size === 0) return undefined;
    const edits = new Map<string, string | undefined>();
    for (const [name, value] of this.made) edits.set(name, value === undefined ? undefined : JSON.stringify(value));
    return { edits, tree: this.appliedTo(this.#tree), losses: this.losses.all };
  }
}
