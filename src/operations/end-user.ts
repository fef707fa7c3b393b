/** The end user whom a request for an image, an embedding or the like names: a field of the same name in every wire that has it. */

import type { WireBody } from './wire.ts';

export function endUserIn(body: WireBody): string | undefined {
  if (body.kind === 'file') return undefined;
  const user = body.kind === 'json' ? body.tree['user'] : body.fields.find(({ name }) => name === 'user')?.value;
  return typeof user === 'string' ? user : undefined;
}
