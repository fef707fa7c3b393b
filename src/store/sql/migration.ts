/** The shape of one forward step of the schema. A published step is never edited; a mistake is repaired by the next one. */

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
  /**
   * For a step that removes or changes something: the oldest step that a Weir must know to use the schema after it. Absent
   * where it only adds, so that the release before continues and can be returned to.
   */
  readonly oldestReader?: number;
}
