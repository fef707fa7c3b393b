/** The languages that models write most, as data: how comments and texts are marked, and which words are the language's own. */

export interface TextMark {
  readonly open: string;
  readonly close: string;
  /** Goes on over the end of a line. */
  readonly isLong?: boolean;
  /** A backslash in it is only a backslash. */
  readonly isRaw?: boolean;
}

export interface Language {
  readonly lineComments?: readonly string[];
  /** Only at the start of a line or after a space: `#` is part of words too. */
  readonly commentNeedsSpace?: boolean;
  readonly blockComment?: readonly [open: string, close: string];
  readonly texts: readonly TextMark[];
  readonly keywords: ReadonlySet<string>;
  /** `SELECT` and `select` are the same. */
  readonly ignoresCase?: boolean;
  /** What is a name where it stands: a key, a tag, a decorator. Sticky. */
  readonly names?: RegExp;
  /** A line that is one thing as a whole. */
  readonly lines?: readonly { readonly pattern: RegExp; readonly kind: 'added' | 'removed' | 'name' | 'comment' }[];
}

const words = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(' ').split(' '));
const single: TextMark = { open: "'", close: "'" };
const double: TextMark = { open: '"', close: '"' };
const template: TextMark = { open: '`', close: '`', isLong: true };
const slashes = { lineComments: ['//'], blockComment: ['/*', '*/'] } as const;
const hash = { lineComments: ['#'], commentNeedsSpace: true } as const;

const ecma: Language = {
  ...slashes,
  texts: [template, double, single],
  keywords: words(
    'abstract as async await break case catch class const continue debugger declare default delete do else enum export',
    'extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace',
    'new null of override private protected public readonly return satisfies set static super switch this throw true try',
    'type typeof undefined unknown var void while with yield any boolean never number object string symbol bigint',
  ),
  names: /@[A-Za-z_$][\w$]*/y,
};

const python: Language = {
  lineComments: ['#'],
  texts: [{ open: '"""', close: '"""', isLong: true }, { open: "'''", close: "'''", isLong: true }, double, single],
  keywords: words(
    'and as assert async await break case class continue def del elif else except False finally for from global if import',
    'in is lambda match None nonlocal not or pass raise return self True try while with yield',
  ),
  names: /@[A-Za-z_][\w.]*/y,
};

const json: Language = {
  ...slashes,
  texts: [double],
  keywords: words('true false null'),
  names: /"(?:[^"\\\n]|\\.)*"(?=\s*:)/y,
};

const shell: Language = {
  ...hash,
  texts: [
    { ...double, isLong: true },
    { ...single, isLong: true, isRaw: true },
  ],
  keywords: words(
    'if then else elif fi for in do done while until case esac function return exit export local readonly set unset',
    'source echo cd sudo',
  ),
  names: /\$(?:\{[^}\n]*\}|\w+|[?@#*!$-])/y,
};

const c: Language = {
  ...slashes,
  texts: [double, single],
  keywords: words(
    'alignas auto bool break case catch char class const constexpr consteval continue decltype default delete do double',
    'else enum explicit extern false final float for friend goto if inline int long mutable namespace new noexcept nullptr',
    'operator override private protected public register requires return short signed sizeof static struct switch template',
    'this throw true try typedef typename union unsigned using virtual void volatile while NULL',
  ),
  names: /#\s*[a-z]+/y,
};

const java: Language = {
  ...slashes,
  texts: [{ open: '"""', close: '"""', isLong: true }, double, single],
  keywords: words(
    'abstract as assert async await base bool boolean break byte case catch char class companion const continue data default',
    'delegate do double else enum event extends false final finally fixed float for foreach fun get if implements import in',
    'init inner instanceof int interface internal is lateinit lock long namespace native new null object open operator out',
    'override package params private protected public readonly record ref return sealed set short static string struct super',
    'suspend switch synchronized this throw throws transient true try typeof uint ulong using val var virtual void volatile',
    'when where while yield',
  ),
  names: /@[A-Za-z_]\w*/y,
};

const go: Language = {
  ...slashes,
  texts: [{ ...template, isRaw: true }, double, single],
  keywords: words(
    'any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go',
    'goto if import int int32 int64 interface iota map nil package range return rune select string struct switch true type',
    'uint uint32 uint64 var',
  ),
};

const rust: Language = {
  ...slashes,
  texts: [{ ...double, isLong: true }],
  keywords: words(
    'as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i32 i64 i8 if impl in',
    'isize let loop match mod move mut pub ref return self Self static str String struct super trait true type u32 u64 u8',
    'unsafe use usize where while',
  ),
  names: /#!?\[[^\]\n]*\]|'[a-z_]\w*(?!')|\b[a-z_]+!/y,
};

const ruby: Language = {
  ...hash,
  texts: [double, single],
  keywords: words(
    'alias and begin break case class def do else elsif end ensure false for if in module next nil not or private puts',
    'raise redo require rescue retry return self super then true undef unless until when while yield',
  ),
  names: /:[A-Za-z_]\w*[?!]?|@{1,2}[A-Za-z_]\w*/y,
};

const php: Language = {
  lineComments: ['//', '#'],
  blockComment: ['/*', '*/'],
  texts: [double, single],
  keywords: words(
    'abstract and array as break case catch class clone const continue declare default do echo else elseif empty extends',
    'false final finally fn for foreach function global if implements include instanceof interface isset list match',
    'namespace new null or private protected public readonly require return static switch this throw trait true try use',
    'var while yield',
  ),
  names: /\$\w+|<\?(?:php|=)?|\?>/y,
};

const swift: Language = {
  ...slashes,
  texts: [{ open: '"""', close: '"""', isLong: true }, double],
  keywords: words(
    'actor as associatedtype async await break case catch class continue default defer deinit do else enum extension false',
    'fileprivate for func guard if import in init inout internal is let mutating nil open operator override private protocol',
    'public repeat rethrows return self Self some static struct subscript super switch throw throws true try typealias var',
    'weak where while',
  ),
  names: /[@#][A-Za-z_]\w*/y,
};

const sql: Language = {
  lineComments: ['--'],
  blockComment: ['/*', '*/'],
  texts: [single, double],
  ignoresCase: true,
  keywords: words(
    'add all alter and any as asc begin between bigint boolean by cascade case cast check column commit constraint count',
    'create cross database default delete desc distinct do drop else end except exists explain false filter for foreign from',
    'full function group having if in index inner insert int integer intersect into is join key lateral left like limit not',
    'null numeric offset on or order outer over partition primary recursive references returning right rollback row select',
    'set sum table text then timestamp to transaction trigger true union unique update using values varchar view when where',
    'window with',
  ),
};

const yaml: Language = {
  ...hash,
  texts: [double, single],
  keywords: words('true false null yes no on off'),
  names: /[\w.$/-]+(?=:(?:\s|$))/y,
};

const toml: Language = {
  ...hash,
  texts: [{ open: '"""', close: '"""', isLong: true }, double, single],
  keywords: words('true false'),
  lines: [{ pattern: /^\s*\[.*\]\s*$/, kind: 'name' }],
  names: /[\w.-]+(?=\s*=)/y,
};

const markup: Language = {
  blockComment: ['<!--', '-->'],
  texts: [],
  keywords: new Set(),
  names: /<\/?[A-Za-z][\w:.-]*|\/?>|[A-Za-z@:_-][\w:.-]*(?==["'{])/y,
};

const css: Language = {
  blockComment: ['/*', '*/'],
  lineComments: ['//'],
  commentNeedsSpace: true,
  texts: [double, single],
  keywords: words('important inherit initial unset none auto var calc'),
  names: /@[a-z-]+|--[\w-]+|[a-z-]+(?=\s*:\s*[^:{]*;)/y,
};

const diff: Language = {
  texts: [],
  keywords: new Set(),
  lines: [
    { pattern: /^(?:\+\+\+|---|@@|diff |index )/, kind: 'name' },
    { pattern: /^\+/, kind: 'added' },
    { pattern: /^-/, kind: 'removed' },
  ],
};

const lua: Language = {
  lineComments: ['--'],
  blockComment: ['--[[', ']]'],
  texts: [{ open: '[[', close: ']]', isLong: true, isRaw: true }, double, single],
  keywords: words(
    'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
  ),
};

const docker: Language = {
  ...hash,
  texts: [double, single],
  keywords: words(
    'FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD HEALTHCHECK SHELL',
  ),
  names: /\$(?:\{[^}\n]*\}|\w+)/y,
};

const byName: readonly (readonly [Language, string])[] = [
  [ecma, 'js javascript mjs cjs jsx ts typescript tsx node'],
  [python, 'py python python3'],
  [json, 'json jsonc json5 jsonl ndjson'],
  [shell, 'sh bash shell zsh console terminal'],
  [c, 'c h cpp c++ cc hpp objc cuda'],
  [java, 'java kotlin kt scala groovy cs csharp c# dart'],
  [go, 'go golang'],
  [rust, 'rs rust'],
  [ruby, 'rb ruby elixir'],
  [php, 'php'],
  [swift, 'swift'],
  [sql, 'sql postgresql postgres mysql sqlite plsql'],
  [yaml, 'yaml yml'],
  [toml, 'toml ini properties env dotenv'],
  [markup, 'html xml svg vue svelte xhtml'],
  [css, 'css scss less'],
  [diff, 'diff patch'],
  [lua, 'lua'],
  [docker, 'dockerfile docker makefile make'],
];

const languages = new Map(byName.flatMap(([language, names]) => names.split(' ').map((name) => [name, language])));

/** Undefined for one that is not here: its code stays plain. */
export const languageOf = (name: string): Language | undefined => languages.get(name.toLowerCase());
