/** Code in the colors of its language, line by line, so that a block that still grows costs what is new. */

import { memo, useState } from 'react';
import { type Language, languageOf } from './languages.ts';
import { type OpenMark, type PieceKind, scanLine } from './scan-line.ts';

interface HighlightedLinesProps {
  readonly code: string;
  readonly language: string;
}

/** More is data, and colors would only cost time. */
const charactersMax = 200_000;

const shapes: Readonly<Record<PieceKind, string | undefined>> = {
  plain: undefined,
  comment: 'text-code-comment italic',
  text: 'text-code-text',
  number: 'text-code-number',
  keyword: 'text-code-keyword',
  name: 'text-code-name',
  added: 'text-code-text',
  removed: 'text-code-removed',
};

/** Always exactly the letters of `code`. */
export function HighlightedLines({ code, language }: HighlightedLinesProps) {
  const [scanner] = useState(createScanner);
  const known = code.length > charactersMax ? undefined : languageOf(language);
  if (known === undefined) return code;
  return scanner
    .scan(code, known)
    .map(({ text, open }, index) => <Line key={index} text={text} language={known} open={open} />);
}

interface LineProps {
  /** With its end. */
  readonly text: string;
  readonly language: Language;
  readonly open: OpenMark | undefined;
}

const sameLine = (before: LineProps, after: LineProps) =>
  before.text === after.text && before.language === after.language && before.open?.close === after.open?.close;

const Line = memo(function Line({ text, language, open }: LineProps) {
  const end = text.endsWith('\n') ? '\n' : '';
  const { pieces } = scanLine(text.slice(0, text.length - end.length), language, open);
  return (
    <span>
      {pieces.map((piece, index) =>
        piece.kind === 'plain' ? (
          piece.text
        ) : (
          <span key={index} className={shapes[piece.kind]}>
            {piece.text}
          </span>
        ),
      )}
      {end}
    </span>
  );
}, sameLine);

interface KnownLine {
  readonly text: string;
  /** What is open where it begins. */
  readonly open: OpenMark | undefined;
  /** And where it ends. */
  readonly openAfter: OpenMark | undefined;
}

/** Knows the lines of the last time: those that are the same need no second look. */
function createScanner() {
  let known: readonly KnownLine[] = [];
  let knownLanguage: Language | undefined;
  return {
    scan(code: string, language: Language): readonly KnownLine[] {
      const before = knownLanguage === language ? known : [];
      let open: OpenMark | undefined;
      known = (code.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text, index): KnownLine => {
        const same = before[index];
        const line =
          same?.text === text && same.open === open
            ? same
            : { text, open, openAfter: scanLine(text.replace(/\n$/, ''), language, open).open };
        open = line.openAfter;
        return line;
      });
      knownLanguage = language;
      return known;
    },
  };
}
