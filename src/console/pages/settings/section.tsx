/** The parts of the settings: each under its heading, all in one scroll, with an index that says where one is. */

import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { withQuery } from '../../router/navigation.ts';
import { useNavigation, useQueryWord } from '../../router/router.tsx';
import { useWords } from '../../words/use-words.tsx';
import type { SectionId } from './sections.ts';

const elementId = (id: SectionId): string => `section-${id}`;

interface SectionProps {
  readonly id: SectionId;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ id, tools, children }: SectionProps) {
  const { title, lead } = useWords().settings.sections[id];
  return (
    <section
      id={elementId(id)}
      aria-labelledby={`${elementId(id)}-title`}
      className="grid min-w-0 scroll-mt-28 grid-cols-[minmax(0,1fr)] content-start gap-5 border-b border-line pb-10 last:border-b-0 lg:scroll-mt-20"
    >
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
        <div className="grid gap-1">
          <h2 id={`${elementId(id)}-title`} className="text-lg font-semibold">
            {title}
          </h2>
          <p className="max-w-[68ch] text-quiet text-pretty">{lead}</p>
        </div>
        {tools}
      </div>
      {children}
    </section>
  );
}

/** A smaller heading inside a section. */
export function Subsection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <h3 className="font-medium">{title}</h3>
      {children}
    </div>
  );
}

const settleMs = 1_500;

/** Leads to the section of the address, and stays there while what stands above it is still arriving. */
export function useSectionScroll(container: RefObject<HTMLElement | null>): void {
  const [section] = useQueryWord('section');
  useEffect(() => {
    const target = section === undefined ? null : document.getElementById(elementId(section as SectionId));
    if (target === null || container.current === null) return undefined;
    const show = () => target.scrollIntoView();
    show();
    const observer = new ResizeObserver(show);
    observer.observe(container.current);
    const stop = () => observer.disconnect();
    // Whoever moves the page themselves must not be pulled back.
    const moves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;
    for (const move of moves) addEventListener(move, stop, { once: true, passive: true });
    const timer = setTimeout(stop, settleMs);
    return () => {
      stop();
      clearTimeout(timer);
      for (const move of moves) removeEventListener(move, stop);
    };
  }, [section, container]);
}

export function SectionIndex({ sections }: { readonly sections: readonly SectionId[] }) {
  const words = useWords().settings;
  const navigation = useNavigation();
  const current = useCurrentSection(sections);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // On phones the index is a strip: the current entry must be in sight without moving the page.
    const entry = list.current?.querySelector<HTMLElement>('[aria-current]');
    const strip = list.current;
    if (entry && strip) strip.scrollLeft = entry.offsetLeft - strip.clientWidth / 2 + entry.clientWidth / 2;
  });
  const go = (id: SectionId) => {
    navigation.go(withQuery(navigation.address(), { section: id }), { replace: true });
    document.getElementById(elementId(id))?.scrollIntoView();
  };
  return (
    <nav
      aria-label={words.index}
      className="sticky top-14 z-10 -mx-4 self-start border-b border-line bg-surface md:-mx-8 lg:top-20 lg:mx-0 lg:border-b-0"
    >
      <ul
        ref={list}
        className="relative flex gap-1 overflow-x-auto px-3 py-1.5 [scrollbar-width:none] md:px-7 lg:grid lg:gap-0.5 lg:overflow-visible lg:p-0"
      >
        {sections.map((id) => (
          <li key={id} className="shrink-0">
            <a
              href={`?section=${id}`}
              aria-current={current === id ? 'location' : undefined}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                go(id);
              }}
              className={
                'flex h-8 items-center rounded-md px-3 text-sm whitespace-nowrap text-quiet hover:text-text focus-visible:outline-offset-[-2px] ' +
                'aria-[current]:bg-wash aria-[current]:font-medium aria-[current]:text-accent'
              }
            >
              {words.sections[id].title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Below the top line and, on phones, the strip. */
const headPx = 140;

/** The last section that has begun above the eye; at the end of the page the last one, which may be too short to reach there. */
function useCurrentSection(sections: readonly SectionId[]): SectionId | undefined {
  const [current, setCurrent] = useState(sections[0]);
  useEffect(() => {
    const look = () => {
      const root = document.documentElement;
      const isAtEnd = root.scrollTop + root.clientHeight >= root.scrollHeight - 2 && root.scrollTop > 0;
      const begun = sections.filter((id) => {
        const top = document.getElementById(elementId(id))?.getBoundingClientRect().top;
        return top !== undefined && top <= headPx;
      });
      setCurrent((isAtEnd ? sections.at(-1) : begun.at(-1)) ?? sections[0]);
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [sections]);
  return current;
}
