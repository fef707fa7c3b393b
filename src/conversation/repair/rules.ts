/** How formats differ in what a conversation must look like, as data: `repair` reads it and names no format. */

import type { Taking } from '../model-profile.ts';

/** What `repair` has to change for a format. Absent means that the format accepts it as it is. */
export interface ConversationRules {
  /** Ids of tool calls: what a whole id looks like and the longest one. A format that cannot do without ids says so here. */
  readonly callId?: { readonly pattern: RegExp; readonly charactersMax: number };
  /** Names of tools: what a whole name looks like and the longest one. Others are altered, and restored in replies. */
  readonly toolName?: { readonly pattern: RegExp; readonly charactersMax: number };
  /** Tools that take a text: whether an unknown server of the format accepts them. Absent where the format has none. */
  readonly freeformTools?: Taking;
  /** Knows tools that are named within a namespace. */
  readonly namespaces?: boolean;
  /** Turns must alternate: adjacent turns of one role become one (a tool's results count as the user's). */
  readonly alternates?: boolean;
  /** The first turn that is not an instruction must be the user's. */
  readonly userFirst?: boolean;
  /** Instructions come before the conversation only; those in its middle become the user's turns. */
  readonly instructionsFirst?: boolean;
  /** The instructions before the conversation are one turn. */
  readonly oneInstruction?: boolean;
  /** Adjacent turns of the user become one; those of tools stay apart. */
  readonly joinsUsers?: boolean;
  /** Every call needs its result in the very next turn, and every result its call. */
  readonly pairsCalls?: boolean;
  /** Results of tools hold texts only: images and files follow in the user's turn. */
  readonly resultsAreText?: boolean;
  /** A turn of the model holds no images: they follow in the user's turn. */
  readonly modelMediaFollow?: boolean;
  /** Has cache marks: every server of the format takes them, or those that ask for them. */
  readonly cacheMarks?: 'always' | 'where asked for';
  /** Rejects texts that are empty or only white space. */
  readonly rejectsBlankText?: boolean;
  /**
   * Many servers have copied the format and accept less of it than the original. What a model's profile does not list
   * as accepted is then written in the form that all of them accept.
   */
  readonly copied?: boolean;
  /** The longest id of an end user that every server takes; another one is replaced by its digest. */
  readonly userIdCharactersMax?: number;
  /** Cannot ask for JSON of any shape. */
  readonly lacksJsonMode?: boolean;
}
