/** The format in which a target is called: the client's own where the target has it. */

import type { FormatName } from '../../formats/format.ts';
import { formatsFor } from '../../providers/formats-for.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { PassedHeaders } from '../../routing/learned-refusals.ts';
import { profileAt } from '../../routing/target-profile.ts';

/** A conversation becomes a bare prompt only where the target has no other format. */
const lastResort: FormatName = 'openai-completions';

/**
 * The format for the target, the client's own where possible; undefined where the target has none that can serve.
 * Some models take tools in one of their formats only.
 */
export function formatFor(
  client: FormatName,
  target: Target,
  hasTools = false,
  headers?: PassedHeaders,
): FormatName | undefined {
  const spoken = target.formats ?? formatsFor(target.provider, target.model);
  // A client's headers reach the provider in the client's own format only.
  const reaching = spoken.includes(client) ? headers : undefined;
  const withTools = hasTools ? profileAt(target, reaching).toolsFormat : undefined;
  if (withTools !== undefined) {
    const face = spoken.find((name) => name === withTools);
    if (face !== undefined) return face;
  }
  if (spoken.includes(client)) return client;
  return bestOf(spoken) ?? spoken[0];
}

/** A format that the target has in a better form than this one, which it copied; formats stand in that order. */
export function formatAbove(copied: FormatName, target: Target): FormatName | undefined {
  const spoken = target.formats ?? formatsFor(target.provider, target.model);
  return bestOf(spoken.slice(0, Math.max(0, spoken.indexOf(copied))));
}

function bestOf(formats: readonly FormatName[]): FormatName | undefined {
  return formats.find((name) => name !== lastResort);
}
