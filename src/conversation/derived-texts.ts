/** What is derived from a request for formats that want it otherwise: once for all targets, within one bound of work. */

import { InlinedSchemas } from './schema/inlined-schemas.ts';
import { ArgumentTexts } from './texts/argument-texts.ts';

export class DerivedTexts {
  /** Its schemas without references. */
  readonly schemas = new InlinedSchemas();
  /** The arguments of its calls as values. */
  readonly arguments = new ArgumentTexts();
}
