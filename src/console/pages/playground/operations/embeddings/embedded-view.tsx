/** What came of texts: which are most alike, a table of every pair with shaded cells, and the beginnings of their vectors. */

import type { ReactNode } from 'react';
import { countText } from '../../../../texts/number.ts';
import { useSpeech } from '../../../../words/use-words.tsx';
import { closestPair, shade, similarities, type Vector } from './similarity.ts';

export interface Embedded {
  readonly texts: readonly string[];
  readonly vectors: readonly Vector[];
}

const valuesShown = 6;

export function EmbeddedView({ texts, vectors }: Embedded) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.embeddings;
  const matrix = similarities(vectors);
  const closest = closestPair(matrix);
  const number = (value: number) =>
    new Intl.NumberFormat(tag, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'negative' }).format(
      value,
    );
  return (
    <div className="grid gap-6">
      {closest !== undefined && (
        <p>
          {words.closest(countText(closest.first + 1, tag), countText(closest.second + 1, tag), number(closest.value))}
        </p>
      )}
      {texts.length > 1 && <Matrix texts={texts} matrix={matrix} number={number} />}
      <Vectors texts={texts} vectors={vectors} />
    </div>
  );
}

interface MatrixProps {
  readonly texts: readonly string[];
  readonly matrix: readonly (readonly (number | undefined)[])[];
  number(value: number): string;
}

/** Above this share of accent the letters must be light to be read. */
const deepShade = 0.62;

function Matrix({ texts, matrix, number }: MatrixProps) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.embeddings;
  return (
    <Scrolling label={words.matrix}>
      <table className="border-separate border-spacing-0.5 text-sm">
        <caption className="pb-2 text-left text-xs text-quiet">{words.matrixHint}</caption>
        <thead>
          <tr>
            <th scope="col" className="px-2 text-left text-xs font-medium text-quiet">
              {words.text}
            </th>
            {texts.map((text, column) => (
              <th
                key={`${column} ${text}`}
                scope="col"
                title={text}
                className="h-7 min-w-12 px-1 font-mono text-xs font-medium text-quiet"
              >
                {countText(column + 1, tag)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {texts.map((text, row) => (
            <tr key={`${row} ${text}`}>
              <th
                scope="row"
                title={text}
                className="max-w-32 min-w-28 truncate pr-3 @xl:max-w-64 @xl:min-w-40 text-left font-normal"
              >
                <span className="mr-2 inline-block w-5 text-right font-mono text-xs text-quiet">
                  {countText(row + 1, tag)}
                </span>
                {text}
              </th>
              {(matrix[row] ?? []).map((value, column) => (
                <td
                  key={`${column} ${texts[column]}`}
                  className={`h-9 min-w-12 rounded-sm text-center font-mono text-xs tabular-nums ${shade(value) > deepShade ? 'text-on-accent' : ''}`}
                  style={{
                    background: `color-mix(in srgb, var(--accent) ${Math.round(depth(value) * 100)}%, var(--sunken))`,
                  }}
                >
                  {value === undefined ? all.parts.none : number(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

/** Letters stand on every shade: between light and deep there is a step that neither dark nor light letters could be read on. */
function depth(value: number | undefined): number {
  const share = shade(value);
  return share > deepShade ? 0.8 + (share - deepShade) * 0.5 : share * 0.7;
}

function Vectors({ texts, vectors }: Embedded) {
  const { words: all, tag } = useSpeech();
  const words = all.operations.embeddings;
  return (
    <Scrolling label={words.vectors}>
      <table className="w-full text-sm">
        <thead>
          <tr className="text-left text-xs text-quiet">
            <th scope="col" className="h-8 border-b border-line pr-4 font-medium">
              {words.text}
            </th>
            <th scope="col" className="h-8 border-b border-line pr-4 text-right font-medium">
              {words.dimensions}
            </th>
            <th scope="col" className="h-8 border-b border-line font-medium">
              {words.firstValues}
            </th>
          </tr>
        </thead>
        <tbody>
          {texts.map((text, row) => (
            <tr key={`${row} ${text}`} className="[&:last-child>td]:border-b-0">
              <td className="h-9 max-w-32 truncate border-b @xl:max-w-64 border-line pr-4" title={text}>
                {text}
              </td>
              <td className="border-b border-line pr-4 text-right font-mono text-xs tabular-nums">
                {countText(vectors[row]?.length ?? 0, tag)}
              </td>
              <td className="border-b border-line font-mono text-xs whitespace-nowrap text-quiet">
                {valuesText(vectors[row] ?? [])}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}

function valuesText(vector: Vector): string {
  const values = vector.slice(0, valuesShown).map((value) => value.toFixed(4));
  return vector.length > valuesShown ? `${values.join(', ')}, …` : values.join(', ');
}

function Scrolling({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-md"
    >
      {children}
    </section>
  );
}
