/** Characters that look like a Latin letter and are not one: with them a word reads as itself and compares as another. */

/** Each group is the letter, then what passes for it. Wide, mathematical and circled letters fold by Unicode's own tables. */
const groups = [
  'aаαɑᴀ∂ⲁ',
  'bьвβʙƅ',
  'cсᴄ¢',
  'dԁᴅđ',
  'eеєεᴇ℮',
  'fғꜰƒ',
  'gɡɢց',
  'hһнʜհ',
  'iіιɪı',
  'jјᴊ',
  'kкκᴋ',
  'lʟłӏ',
  'mмᴍ',
  'nпηɴո',
  'oоοσøᴏօ',
  'pрρᴘ',
  'qԛզ',
  'rгʀ',
  'sѕꜱʂ',
  'tтτᴛŧ',
  'uυᴜцս',
  'vνᴠѵ',
  'wωᴡѡԝш',
  'xхχ×',
  'yуγʏү',
  'zᴢʐ',
];

export const lookAlikes: ReadonlyMap<string, string> = new Map(
  groups.flatMap((group) => {
    const [letter = '', ...others] = group;
    return others.map((other) => [other, letter] as const);
  }),
);

/** Digits and signs that stand for a letter inside a word; the first reading is the usual one. */
export const leetLetters: ReadonlyMap<string, readonly string[]> = new Map([
  ['0', ['o']],
  ['1', ['i', 'l']],
  ['!', ['i', 'l']],
  ['|', ['l', 'i']],
  ['3', ['e']],
  ['4', ['a']],
  ['@', ['a']],
  ['5', ['s']],
  ['$', ['s']],
  ['7', ['t']],
  ['+', ['t']],
  ['8', ['b']],
  ['9', ['g']],
  ['6', ['g', 'b']],
  ['€', ['e']],
]);
