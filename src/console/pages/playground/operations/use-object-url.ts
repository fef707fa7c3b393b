/** An address for bytes that the page holds, given back when nobody shows them any more. */

import { useEffect, useState } from 'react';

/** What a browser shows as a picture, plays, and never runs. */
const shownTypes = /^(image\/(?!svg)|audio\/|video\/)/i;

/** Opened by itself an address of bytes is a page of our own origin: what a provider calls a page is bytes and nothing else. */
const inert = (blob: Blob): Blob =>
  shownTypes.test(blob.type) ? blob : new Blob([blob], { type: 'application/octet-stream' });

export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) {
      setUrl(undefined);
      return undefined;
    }
    const made = URL.createObjectURL(inert(blob));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
