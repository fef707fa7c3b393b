/** A sentence around a name: a long name is cut, what is said of it is not. */

/** In no name. */
const place = '\u0000';

interface AroundNameProps {
  readonly name: string;
  text(name: string): string;
}

export function AroundName({ name, text }: AroundNameProps) {
  const [before = '', after = ''] = text(place).split(place);
  return (
    <span className="flex min-w-0 whitespace-pre">
      {before !== '' && <span className="shrink-0">{before}</span>}
      <span className="truncate" title={name}>
        {name}
      </span>
      {after !== '' && <span className="shrink-0">{after}</span>}
    </span>
  );
}
