/** Hands what the server told about itself to whoever needs it. */

import { createContext, use } from 'react';
import type { PageFacts } from '../page-facts.ts';

const FactsContext = createContext<PageFacts>({ apiAddress: '', version: '', styleNonce: '' });

export const FactsProvider = FactsContext.Provider;

export function useFacts(): PageFacts {
  return use(FactsContext);
}
