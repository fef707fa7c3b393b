/** Something that a page changes through the admin interface: asked once, and what it makes stale is asked for again. */

import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { AskError } from './ask.ts';
import { keyOf } from './use-ask.ts';

/** `stale` are the beginnings of paths whose answers the change may alter. */
export function useChange<Input, Answer>(
  change: (input: Input) => Promise<Answer>,
  stale: readonly string[],
): UseMutationResult<Answer, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    // An answer may hold a secret that is shown once: it goes with the component that asked.
    gcTime: 0,
    // Also after a failure: a refusal often means that the page shows what is no longer so.
    onSettled: () => {
      for (const path of stale) void queries.invalidateQueries({ queryKey: keyOf(path) });
    },
  });
}

/** Was just this saved? What shows it is read again only afterwards, and until then it would look like a change. */
export function isSaved<Input>(change: UseMutationResult<unknown, Error, Input>, input: Input): boolean {
  return change.isSuccess && JSON.stringify(change.variables) === JSON.stringify(input);
}

/** What Weir said of this field of a form; absent where it spoke of another one, or of none. */
export function errorAtField(error: unknown, field: string): string | undefined {
  if (!(error instanceof AskError) || error.param === '') return undefined;
  const [head = ''] = error.param.split(/[.[]/, 1);
  if (head !== field) return undefined;
  return error.message.startsWith(`${error.param}: `) ? error.message.slice(error.param.length + 2) : error.message;
}
