/** What runs here, where programs reach it, and everything that they can ask of it. */

import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Id } from '../../components/code-block.tsx';
import { FactRows } from '../../components/fact-rows.tsx';
import { Icon } from '../../components/icon.tsx';
import { SkeletonText } from '../../components/skeleton.tsx';
import { useFacts } from '../../frame/facts.tsx';
import { useWords } from '../../words/use-words.tsx';
import { Section, Subsection } from './section.tsx';

/** Large and rarely read: its code and its description come when someone gets there. */
const ApiReference = lazy(async () => ({ default: (await import('./api/api-reference.tsx')).ApiReference }));

export function About() {
  const words = useWords().settings;
  const { version, apiAddress } = useFacts();
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place);
  return (
    <Section id="about">
      <div className="rounded-md border border-line bg-raised px-4 py-1">
        <FactRows
          facts={[
            { name: words.version, value: <span className="font-mono">{version}</span> },
            { name: words.baseAddress, value: <Id value={apiAddress} what={words.baseAddress} /> },
            {
              name: words.description,
              value: (
                <a
                  href="/openapi.json"
                  className="inline-flex items-center gap-1.5 rounded-sm text-accent hover:underline"
                >
                  <span className="font-mono">/openapi.json</span>
                  <Icon name="external" />
                </a>
              ),
            },
          ]}
        />
      </div>
      <Subsection title={words.apiReference}>
        <div ref={place} className="min-h-96">
          {isSeen && (
            <Suspense fallback={<SkeletonText lines={8} />}>
              <ApiReference level="h4" />
            </Suspense>
          )}
        </div>
      </Subsection>
    </Section>
  );
}

function useSeen(place: React.RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null || isSeen) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place, isSeen]);
  return isSeen;
}
