/** The shape of one forward step of the schema. A published step is never edited; a mistake is repaired by the next one. */

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}
