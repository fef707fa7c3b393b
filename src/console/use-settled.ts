/** What someone types, once they pause: asking the server at every letter would answer questions that nobody has. */

import { useEffect, useState } from 'react';

const pauseMs = 150;

export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
