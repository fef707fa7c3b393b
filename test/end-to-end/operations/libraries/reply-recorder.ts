/** Records a library's HTTP replies: Weir's headers are not in what the library returns. */

export interface ReplyRecorder {
  readonly fetch: typeof fetch;
  /** The last reply; its body belongs to the library. */
  reply(): Response;
}

export function recordReplies(): ReplyRecorder {
  let last: Response | undefined;
  const recording = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    last = await fetch(address as string, init);
    return last;
  };
  return {
    fetch: recording as typeof fetch,
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
