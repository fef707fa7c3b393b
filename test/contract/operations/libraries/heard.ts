/** Listens to a library's HTTP: what Weir says in its headers is not in what the library returns. */

export interface Heard {
  readonly fetch: typeof fetch;
  /** The last reply; its body belongs to the library. */
  reply(): Response;
}

export function hear(): Heard {
  let last: Response | undefined;
  const listening = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    last = await fetch(address as string, init);
    return last;
  };
  return {
    fetch: listening as typeof fetch,
    reply() {
      if (last === undefined) throw new Error('the library asked nothing');
      return last;
    },
  };
}

/** What a call ends with, where it must not succeed. */
export async function reasonOf(call: PromiseLike<unknown>): Promise<unknown> {
  const ended = await Promise.resolve(call).then(
    (value) => ({ value }),
    (reason: unknown) => ({ reason }),
  );
  if ('value' in ended) throw new Error(`the call succeeded: ${JSON.stringify(ended.value)}`);
  return ended.reason;
}
